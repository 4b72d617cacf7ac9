#include "models/mpi/preload/process/warm_up.h"

#include "models/mpi/preload/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

/* --- the C library --------------------------------------------------------------------------------------------------- */

static void print_and_scan(void) {
    char text[512];
    wchar_t wide[64];
    int whole;
    double real = 1.0 / 3.0;
    snprintf(text, sizeof text, "%f %g %e %a %Lf %d %p", real, real, real * 1e300, real, (long double)real * 1e300L, 1,
             (void *)text);
    swprintf(wide, sizeof wide / sizeof *wide, L"%f %ls", real, L"wide");
    (void)!sscanf("7 0.5", "%d %lf", &whole, &real);
    (void)strtold("1e100", NULL);
    (void)mbstowcs(wide, "text", sizeof wide / sizeof *wide);
    (void)wcstombs(text, wide, sizeof text);
}

static int in_order(const void *a, const void *b) {
    return (*(const char *)a > *(const char *)b) - (*(const char *)a < *(const char *)b);
}

/* Above a kilobyte qsort asks once how much memory there is. */
static void sort(void) {
    char values[4096] = {0};
    qsort(values, sizeof values, 1, in_order);
}

/* Encodings are looked up in tables that are read once. The locale of the environment is loaded, the one in force stays. */
static void locales(void) {
    char *now = setlocale(LC_ALL, NULL);
    now = now ? strdup(now) : NULL;
    setlocale(LC_ALL, "");
    (void)localeconv();
    if (now)
        setlocale(LC_ALL, now);
    (void)localeconv();
    free(now);
}

static void calendar(void) {
    time_t moment = 0;
    struct tm broken;
    char text[128];
    tzset();
    localtime_r(&moment, &broken);
    (void)mktime(&broken);
    (void)strftime(text, sizeof text, "%c %Z", &broken);
    (void)localtime(&moment);
}

static void error_texts(void) {
    (void)strerror(ENOENT);
    (void)strsignal(1);
}

static void read_file(void) {
    FILE *file = fopen("/dev/null", "re");
    if (file)
        fclose(file);
}

static void mathematics(void) {
    volatile double x = 0.7;
    x = exp(x) + log(x) + pow(x, 1.5) + sin(x) + cos(x) + tan(x) + atan2(x, 2);
}

/* Loads the unwinder, and lets it make its tables. */
static void unwind(void) {
    void *frame[4];
    (void)backtrace(frame, 4);
}

/* --- the C++ library, if the program has one -------------------------------------------------------------------------- */

enum { STREAM_BYTES = 2048 }; /* more than any string stream has */

static void *symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/* Number formatting caches live in the locale and are made at the first number written. */
static void cxx_streams(void) {
#define OUT "NSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE"
    void (*construct)(void *) = symbol("_Z" OUT "C1Ev");
    void (*destroy)(void *) = symbol("_Z" OUT "D1Ev");
    void (*write_integer)(void *, int) = symbol("_ZNSolsEi");
    void (*write_real)(void *, double) = symbol("_ZNSolsEd");
    if (!construct || !destroy || !write_integer || !write_real)
        return;
    _Alignas(16) char stream[STREAM_BYTES] = {0};
    construct(stream);
    write_integer(stream, 1);
    write_real(stream, 0.5);
    destroy(stream);
}

/* --------------------------------------------------------------------------------------------------------------------- */

/* In both units. Nearly every floating point operation does. */
static void raise_inexact(void) {
    volatile double real = 1;
    volatile long double long_real = 1;
    real = real / 3;
    long_real = long_real / 3;
}

void warm_up(void) {
    const int error = errno;
    fenv_t floating;
    fegetenv(&floating);
    print_and_scan();
    sort();
    locales();
    calendar();
    error_texts();
    read_file();
    mathematics();
    unwind();
    cxx_streams();
    fesetenv(&floating);
    raise_inexact();
    errno = error;
}
