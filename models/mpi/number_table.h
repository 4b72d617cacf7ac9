/* A map from three numbers to a fourth. */
#ifndef MODELS_MPI_NUMBER_TABLE_H
#define MODELS_MPI_NUMBER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define NO_NUMBER UINT32_MAX

/* Open addressing; all zero: empty. */
struct number_table {
    struct number_slot {
        uint32_t key[3], number; /* NO_NUMBER: free */
    } * slot;
    size_t slots, used;
};

/* NO_NUMBER: the key is not there. */
uint32_t number_table_find(const struct number_table *table, const uint32_t key[3]);
/* Adds a key that is not there, and returns its number. Running out of memory ends the process. */
uint32_t number_table_add(struct number_table *table, const uint32_t key[3], uint32_t number);
/* Bytes held. */
uint64_t number_table_memory(const struct number_table *table);

#endif
