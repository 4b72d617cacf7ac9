#include "explorer/reports/json_file.h"

#include "explorer/machine/whole_file.h"

bool json_file_write(const char *path, json_t *object) {
    struct whole_file file;
    bool ok = whole_file_open(&file, path);
    if (ok) {
        json_dumpf(object, file.file, JSON_INDENT(2));
        fputc('\n', file.file);
        ok = whole_file_close(&file);
    }
    json_decref(object);
    return ok;
}
