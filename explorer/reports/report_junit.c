/* JUnit XML as CI servers read it: one test case, one failure for each finding that fails the run. Written by hand because a
 * few fixed elements need no XML library, only escaping. */
#include "explorer/machine/whole_file.h"
#include "explorer/reports/report.h"
#include "explorer/reports/valid_text.h"

#include <stdlib.h>

/* `newline`: what stands for one. */
static void put_escaped(FILE *out, const char *bytes, const char *newline) {
    char *copy = valid_text(bytes);
    for (const char *text = copy; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c == '\n')
            fputs(newline, out);
        else if (c < 32 && c != '\t')
            fputc('?', out); /* XML 1.0 has no way to write it */
        else
            fputc(c, out);
    }
    free(copy);
}

/* `body`: what CI servers show of it when asked for more; NULL: nothing. */
static void put_element(FILE *out, const char *element, const char *type, const char *message, const char *body) {
    fprintf(out, "    <%s type=\"%s\" message=\"", element, type);
    put_escaped(out, message, "&#10;");
    fputs("\"", out);
    if (!body) {
        fputs("/>\n", out);
        return;
    }
    fputs(">", out);
    put_escaped(out, body, "\n");
    fprintf(out, "</%s>\n", element);
}

static void put_failure(FILE *out, const struct report *report, const struct reported_finding *reported) {
    char *body = NULL;
    size_t size;
    FILE *text = open_memstream(&body, &size);
    if (text) {
        report_finding(text, report, reported);
        fclose(text);
    }
    put_element(out, "failure", reported->finding->class_name, reported->finding->message, body);
    free(body);
}

static size_t count_failing(const struct report *report) {
    size_t failing = 0;
    for (size_t i = 0; i < report->findings; i++)
        failing += report->finding[i].fails;
    return failing;
}

bool report_junit(const char *path, const struct report *report) {
    struct whole_file file;
    if (!whole_file_open(&file, path))
        return false;
    FILE *out = file.file;
    bool error = report->verdict >= VERDICT_UNDECIDED, failed = count_failing(report) > 0;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"explore\" tests=\"1\" failures=\"%d\" errors=\"%d\" time=\"%.3f\">\n"
            "  <testcase classname=\"explore\" name=\"",
            failed, error, report->seconds);
    put_escaped(out, report->options->program ? report->options->program[0] : "", "&#10;");
    fprintf(out, " on %u ranks\" time=\"%.3f\">\n", report->options->ranks, report->seconds);
    for (size_t i = 0; i < report->findings; i++)
        if (report->finding[i].fails)
            put_failure(out, report, &report->finding[i]);
    if (error)
        put_element(out, "error", verdict_name(report->verdict), report->sentence ? report->sentence : "", NULL);
    fputs("  </testcase>\n</testsuite>\n", out);
    return whole_file_close(&file);
}
