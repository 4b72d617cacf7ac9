#include "models/mpi/enforce/choices.h"

#include "models/mpi/functions.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MOST = 1 << 16 };

static const char *const class_names[CHOICE_CLASSES] = {"receive", "send", "probe", "complete", "collective"};
static const char *const word_names[WORDS] = {"", "none", "cancelled", "buffered", "synchronous", "all", "pending", "early"};

bool choice_is_message(uint16_t function) {
    switch (function) {
    case FUNCTION_MPI_Send:
    case FUNCTION_MPI_Send_c:
    case FUNCTION_MPI_Rsend:
    case FUNCTION_MPI_Rsend_c:
    case FUNCTION_MPI_Ssend:
    case FUNCTION_MPI_Ssend_c:
    case FUNCTION_MPI_Bsend:
    case FUNCTION_MPI_Bsend_c:
    case FUNCTION_MPI_Isend:
    case FUNCTION_MPI_Isend_c:
    case FUNCTION_MPI_Irsend:
    case FUNCTION_MPI_Irsend_c:
    case FUNCTION_MPI_Issend:
    case FUNCTION_MPI_Issend_c:
    case FUNCTION_MPI_Ibsend:
    case FUNCTION_MPI_Ibsend_c:
    case FUNCTION_MPI_Recv:
    case FUNCTION_MPI_Recv_c:
    case FUNCTION_MPI_Irecv:
    case FUNCTION_MPI_Irecv_c:
    case FUNCTION_MPI_Sendrecv:
    case FUNCTION_MPI_Sendrecv_c:
    case FUNCTION_MPI_Sendrecv_replace:
    case FUNCTION_MPI_Sendrecv_replace_c:
    case FUNCTION_MPI_Start:
    case FUNCTION_MPI_Startall: return true;
    default: return false;
    }
}

bool choice_is_collective(uint16_t function) {
    static const uint16_t collectives[] = {
#define COLLECTIVE_CALL(name, parameters, arguments, communicator) FUNCTION_MPI_##name,
#define WAITING_CALL(name, parameters, arguments)
#include "models/mpi/enforce/waiting_calls.def"
    };
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (collectives[i] == function)
            return true;
    return false;
}

static void *resized(void *block, size_t bytes) {
    void *larger = realloc(block, bytes);
    if (larger)
        return larger;
    fputs("explore: out of memory\n", stderr);
    exit(3);
}

void choices_add(struct choices *choices, const struct choice_made *choice) {
    if (choices->count == choices->room) {
        choices->room = choices->room * 2 + 16;
        choices->choice = resized(choices->choice, choices->room * sizeof *choices->choice);
    }
    choices->choice[choices->count++] = *choice;
}

void choices_free(struct choices *choices) {
    for (size_t i = 0; i < choices->count; i++)
        free(choices->choice[i].number);
    free(choices->choice);
    *choices = (struct choices){0};
}

const struct choice_made *choices_next(const struct choices *choices, struct choice_cursor *cursor, enum choice_class kind) {
    for (size_t *at = &cursor->at[kind]; *at < choices->count;)
        if (choices->choice[(*at)++].kind == kind)
            return &choices->choice[*at - 1];
    return NULL;
}

const struct choice_made *choices_get(const struct choices *choices, enum choice_class kind, size_t k) {
    for (size_t i = 0; i < choices->count; i++)
        if (choices->choice[i].kind == kind && k-- == 0)
            return &choices->choice[i];
    return NULL;
}

void choice_set_numbers(struct choice_made *choice, const int32_t *number, uint32_t numbers) {
    choice->number = resized(choice->number, (numbers + 1) * sizeof *number);
    if (numbers)
        memcpy(choice->number, number, numbers * sizeof *number);
    choice->numbers = numbers;
}

/* --- text ---------------------------------------------------------------------------------------------------------------- */

void choice_write(FILE *out, const struct choice_made *choice) {
    fprintf(out, "%s %s", class_names[choice->kind], function_name(choice->function));
    for (uint32_t i = 0; i < choice->numbers; i++)
        fprintf(out, "%c%d", i ? ',' : ' ', choice->number[i]);
    if (choice->word)
        fprintf(out, " %s", word_names[choice->word]);
}

static int index_of(const char *word, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

static bool read_numbers(const char *text, struct choice_made *choice) {
    while (choice->numbers < NUMBERS_MOST) {
        char *end;
        long number = strtol(text, &end, 10);
        if (end == text || *text < '0' || *text > '9' || number > INT32_MAX)
            return false;
        choice->number = resized(choice->number, (choice->numbers + 1) * sizeof *choice->number);
        choice->number[choice->numbers++] = (int32_t)number;
        if (*end == 0)
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    return false;
}

/* `rest` is "", "NUMBERS", "WORD" or "NUMBERS WORD". */
static bool read_value(char *rest, struct choice_made *choice) {
    char *save = NULL, *word = strtok_r(rest, " ", &save);
    if (word && *word >= '0' && *word <= '9') {
        if (!read_numbers(word, choice))
            return false;
        word = strtok_r(NULL, " ", &save);
    }
    if (!word)
        return true;
    int index = index_of(word, word_names, WORDS);
    choice->word = index > 0 ? (uint8_t)index : 0;
    return index > 0 && !strtok_r(NULL, " ", &save);
}

static bool makes_sense(const struct choice_made *choice) {
    static const uint32_t words[CHOICE_CLASSES] = {
        [CHOICE_RECEIVE] = 1u << WORD_NOTHING | 1u << WORD_NONE | 1u << WORD_CANCELLED,
        [CHOICE_SEND] = 1u << WORD_NOTHING | 1u << WORD_BUFFERED | 1u << WORD_SYNCHRONOUS | 1u << WORD_CANCELLED,
        [CHOICE_PROBE] = 1u << WORD_NOTHING | 1u << WORD_NONE | 1u << WORD_PENDING,
        [CHOICE_COMPLETE] = 1u << WORD_NOTHING | 1u << WORD_NONE | 1u << WORD_ALL | 1u << WORD_PENDING,
        [CHOICE_COLLECTIVE] = 1u << WORD_NOTHING | 1u << WORD_EARLY | 1u << WORD_SYNCHRONOUS | 1u << WORD_PENDING,
    };
    bool one = choice->kind == CHOICE_RECEIVE || choice->kind == CHOICE_SEND || choice->kind == CHOICE_PROBE;
    bool counted = choice->kind == CHOICE_SEND || choice->word == WORD_NOTHING;
    if (choice->kind == CHOICE_COLLECTIVE)
        return (words[choice->kind] >> choice->word & 1) && choice->numbers == 0;
    return (words[choice->kind] >> choice->word & 1) && (counted ? choice->numbers > 0 : choice->numbers == 0) &&
           (!one || choice->numbers <= 1);
}

bool choice_read(struct choices *choices, const char *line) {
    const size_t size = strlen(line) + 1;
    char *copy = memcpy(resized(NULL, size), line, size), *save = NULL;
    const char *kind = strtok_r(copy, " ", &save), *function = strtok_r(NULL, " ", &save);
    struct choice_made choice = {0};
    int class_index = kind ? index_of(kind, class_names, CHOICE_CLASSES) : -1;
    choice.kind = (uint8_t)class_index;
    choice.function = function ? function_of_name(function) : FUNCTION_none;
    bool ok = class_index >= 0 && choice.function != FUNCTION_none;
    ok = ok && read_value(save, &choice) && makes_sense(&choice);
    free(copy);
    if (ok)
        choices_add(choices, &choice);
    else
        free(choice.number);
    return ok;
}
