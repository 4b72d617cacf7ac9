/* Histories of the C library: what a call leaves in the library's own memory is no part of the program's situation, unless the
 * program can see it. */
#include "tests/memory/histories.h"

#include <ctype.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static volatile double number = 1234.5678;

static void print_doubles(void) {
    char text[400];
    snprintf(text, sizeof text, "%f %g %e %a %.30f", number, number, number * 1e200, number, number / 3);
}
static void print_other_doubles(void) {
    char text[400];
    snprintf(text, sizeof text, "%.200g", 1 / number);
    sprintf(text, "%Lf", (long double)number * 1e300L);
}
static void print_integers(void) {
    char text[400];
    snprintf(text, sizeof text, "%d %ld %x %s %p %5c", 5, 6l, 7u, "eight", (void *)text, 'n');
}
static void print_wide(void) {
    wchar_t text[100];
    swprintf(text, 100, L"%ls %f", L"wide", number);
}
static void scan_text(void) {
    int a;
    double b;
    char word[20];
    sscanf("12 3.5e10 word", "%d %lf %19s", &a, &b, word);
}
static void convert_text(void) {
    number = strtod("1234.5678", NULL);
    strtol("0x10", NULL, 0);
    strtold("1e100", NULL);
    number = atof("1234.5678");
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void sort_large(void) {
    static int value[100000];
    for (int i = 0; i < 100000; i++)
        value[i] = (int)((i * 7919ll) % 100003);
    qsort(value, 100000, sizeof *value, by_value);
    memset(value, 0, sizeof value);
}
static void sort_small(void) {
    int value[10] = {5, 3, 8, 1};
    qsort(value, 10, sizeof *value, by_value);
}

static void tokens(void) {
    static char text[14];
    strcpy(text, "one two three");
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        ;
}
static void tokens_twice(void) {
    tokens();
    tokens();
}
static void error_texts(void) {
    strerror(ENOENT);
    strerror(EINVAL);
    strsignal(11);
}

static void calendar(void) {
    time_t moment = 1000000000;
    char text[100];
    struct tm broken;
    localtime_r(&moment, &broken);
    gmtime_r(&moment, &broken);
    mktime(&broken);
    strftime(text, sizeof text, "%c %Z", &broken);
}
static void set_zone(void) { tzset(); }

static void environment(void) {
    getenv("HOME");
    secure_getenv("PATH");
}

static void read_a_file(void) {
    char line[200];
    FILE *file = fopen("/proc/self/cmdline", "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file))
        ;
    fclose(file);
}
static void open_a_file(void) { (void)!open("/dev/null", O_RDONLY); }
static void open_file_and_move(void) {
    int file = open("/bin/sh", O_RDONLY);
    lseek(file, 100, SEEK_SET);
}
static void open_file(void) { (void)!open("/bin/sh", O_RDONLY); }

static void other_locale(void) { setlocale(LC_CTYPE, "C.UTF-8"); }
static void classify(void) {
    volatile int sum = 0;
    for (int c = 0; c < 256; c++)
        sum += isalpha(c) + toupper(c);
}
static void wide_characters(void) {
    wchar_t wide[20];
    mbstowcs(wide, "some text", 20);
    char text[20];
    wcstombs(text, wide, 20);
}

static void mathematics(void) {
    volatile double x = 0.7;
    x = exp(x) + log(x) + pow(x, 1.5) + sin(x) * cos(x) + tgamma(x) + sqrt(x) + fmod(x, 0.1);
}
static void inexact(void) {
    volatile double x = 1, y = 3;
    x = x / y;
}
static void inexact_long(void) {
    volatile long double x = 1, y = 3;
    x = x / y;
}
static void random_numbers(void) { rand(); }
static void divide_by_zero(void) {
    volatile double x = 1, zero = 0;
    x = x / zero;
}
static void divide_long_by_zero(void) {
    volatile long double x = 1, zero = 0;
    x = x / zero;
}
static void divide_by_zero_and_clear(void) {
    divide_by_zero();
    divide_long_by_zero();
    feclearexcept(FE_ALL_EXCEPT);
    inexact();
    inexact_long();
}
static void round_up(void) { fesetround(FE_UPWARD); }
static void round_up_and_back(void) {
    fesetround(FE_UPWARD);
    fesetround(FE_TONEAREST);
}
static void flush_to_zero(void) { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000); }
static void single_precision(void) {
    uint16_t control = 0x007f;
    __asm__ volatile("fldcw %0" : : "m"(control));
}

static void unwind(void) {
    void *frame[20];
    backtrace(frame, 20);
}
static void set_errno(void) { errno = EDOM; }
static void set_errno_and_back(void) {
    errno = EDOM;
    *(volatile int *)&errno = 0;
}
static void string_search(void) {
    volatile size_t n = strlen("some") + (strstr("haystack", "st") != NULL) + (memchr("abc", 'c', 3) != NULL);
    (void)n;
}
static void search_tree(void) {
    void *root = NULL;
    static int key[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        tsearch(&key[i], &root, by_value);
    for (int i = 0; i < 3; i++)
        tdelete(&key[i], &root, by_value);
}
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock_and_unlock(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void begin(void) {}
static void once_only(void) { pthread_once(&once, begin); }
static void memory_stream(void) {
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    fprintf(stream, "%d %f", 7, number);
    fclose(stream);
    free(text);
}
static void format_and_free(void) {
    char *text;
    if (asprintf(&text, "%f", number) >= 0)
        free(text);
}
static void host(void) {
    char name[100];
    gethostname(name, sizeof name);
    (void)!getcwd(name, sizeof name);
    sysconf(_SC_NPROCESSORS_ONLN);
    getpid();
}

const struct pair library_pairs[] = {
    {"print_doubles", SAME, print_doubles, NULL},
    {"print_two_ways", SAME, print_doubles, print_other_doubles},
    {"print_integers", SAME, print_integers, NULL},
    {"print_wide", SAME, print_wide, NULL},
    {"print_to_memory_stream", SAME, memory_stream, NULL},
    {"print_allocated", SAME, format_and_free, NULL},
    {"scan_text", SAME, scan_text, NULL},
    {"convert_text", SAME, convert_text, NULL},
    {"sort_large", SAME, sort_large, NULL},
    {"sort_small", SAME, sort_small, NULL},
    {"string_search", SAME, string_search, NULL},
    {"search_tree", SAME, search_tree, NULL},
    {"tokens", SAME, tokens, tokens_twice},
    {"tokens_or_none", DIFFERENT, tokens, NULL}, /* the next strtok(NULL, ...) goes on there */
    {"error_texts", SAME, error_texts, NULL},
    {"calendar", SAME, calendar, NULL},
    {"calendar_zone", SAME, set_zone, NULL},
    {"environment_read", SAME, environment, NULL},
    {"file_read_and_closed", SAME, read_a_file, NULL},
    {"file_open", DIFFERENT, open_a_file, NULL},
    {"file_offset", DIFFERENT, open_file_and_move, open_file},
    {"locale_other", DIFFERENT, other_locale, NULL},
    {"characters_classified", SAME, classify, NULL},
    {"characters_wide", SAME, wide_characters, NULL},
    {"mathematics", SAME, mathematics, NULL},
    {"inexact_division", SAME, inexact, NULL},
    {"inexact_long_division", SAME, inexact_long, NULL},
    {"random_numbers", DIFFERENT, random_numbers, NULL},
    /* fetestexcept sees these; a rank's answer must not depend on what else an executor has run. */
    {"division_by_zero", DIFFERENT, divide_by_zero, NULL},
    {"division_by_zero_long", DIFFERENT, divide_long_by_zero, NULL},
    {"division_by_zero_cleared", SAME, divide_by_zero_and_clear, NULL},
    {"rounding", DIFFERENT, round_up, NULL},
    {"rounding_and_back", SAME, round_up_and_back, NULL},
    {"flush_to_zero", DIFFERENT, flush_to_zero, NULL},
    {"x87_precision", DIFFERENT, single_precision, NULL},
    {"unwinding", SAME, unwind, NULL},
    {"errno", DIFFERENT, set_errno, NULL},
    {"errno_and_back", SAME, set_errno_and_back, NULL},
    {"mutex", SAME, lock_and_unlock, NULL},
    {"once", DIFFERENT, once_only, NULL},
    {"host", SAME, host, NULL},
    {0},
};
