#include "explorer/debug_information/source_names.h"

#include <criterion/criterion.h>

static void check(const char *symbol, const char *name) { cr_expect_str_eq(source_name_of_symbol(symbol).text, name); }

Test(source_names, of_symbols) {
    check("collect", "collect");
    check("_ZN3app8ExchangeIiE7collectEv", "app::Exchange<int>::collect()");
    check("_ZL7collectl", "collect(long)");
    check("_Znot_mangled", "_Znot_mangled");
    check("__grid_MOD_sweep", "grid::sweep");
    check("__grid_MOD_", "__grid_MOD_");
    check("__MOD_sweep", "__MOD_sweep");
    check("inner.0", "inner");
    check("collect.part.0", "collect");
    check(".text", ".text");
    check("", "");
    check(NULL, "");
}

Test(source_names, that_are_too_long_are_cut_off) {
    char symbol[1000];
    memset(symbol, 'x', sizeof symbol - 1);
    symbol[sizeof symbol - 1] = 0;
    cr_expect_eq(strlen(source_name_of_symbol(symbol).text), SOURCE_NAME_ROOM - 1);
}
