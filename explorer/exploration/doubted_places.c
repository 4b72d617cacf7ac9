#include "explorer/exploration/doubted_places.h"

#include "explorer/steps/places.h"

#include <stdlib.h>

/* Somebody who is about to load from the place with this number, from 1; NULL: none is known. */
static const struct step_result *find_load(const struct step_table *table, int32_t number) {
    for (uint32_t i = 0; i < step_table_results(table); i++) {
        const struct step_result *result = step_table_result_numbered(table, i);
        if (!result->ended && result->call.kind == WIRE_CALL_WAIT_ALL && result->call.tag == number)
            return result;
    }
    return NULL;
}

static void tell_load(FILE *out, const struct exploration *exploration, int32_t number) {
    const struct step_table *table = programs_table(exploration->programs);
    const struct step_result *result = find_load(table, number);
    if (!result)
        return;
    fprintf(out, " by rank %u in ", step_table_rank(table, result->local));
    report_place(out, result->call.function, result->call.site, exploration->sites);
}

char *doubted_places_tell(const struct exploration *exploration) {
    const struct places *places = &exploration->places;
    bool doubted[PLACES_MOST] = {false};
    const uint32_t count = places_in_doubt(places, programs_table(exploration->programs), exploration->options->ranks, doubted);
    uint32_t first = 0;
    char *text = NULL;
    size_t size;
    FILE *out = count ? open_memstream(&text, &size) : NULL;
    if (!out)
        return NULL;
    while (!doubted[first])
        first++;
    const struct wire_place_of_window *place = &places->place[first];
    fprintf(out, "bytes %" PRIu64 " to %" PRIu64 " of the shared memory of rank %" PRIu32, place->offset,
            place->offset + place->size - 1, place->segment);
    fputs(" are loaded", out);
    tell_load(out, exploration, (int32_t)first + 1);
    fputs(" while another rank may store there", out);
    if (count == 2)
        fputs(", and so is another word", out);
    if (count > 2)
        fprintf(out, ", and so are %" PRIu32 " other words", count - 1);
    fputs(": an rma-conflict, unless some rank waits there for that, as none has been seen to do", out);
    fclose(out);
    return text;
}
