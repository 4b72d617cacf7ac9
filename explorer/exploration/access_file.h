/* What messages have to do with the state of the rank that takes them, from a text file, for explore --poeg FILE --access FILE
 * (Schaeli 2009, section 4.4.3: access vectors). Whoever writes the file, such as programs on models/dps, claims it; it is not
 * checked. Lines, in words without blanks; # begins a comment:
 *
 *     uses OPERATION MEMBER r|w
 *     message RANK HASH OPERATION PLACE INSTANCE
 *
 * Operations of this name read, or write, this member of their place's state. The message to this rank with these bytes (HASH:
 * FNV-1a, 64 bits in hexadecimal) is for such an operation at this place; and for the one of its messages that an INSTANCE takes,
 * which may keep something of each ("-": it takes no others).
 *
 * Two messages may be exchanged if both are told of, are not of one instance, and, at one place, neither's operation writes what
 * the other's uses. */
#ifndef EXPLORER_ACCESS_FILE_H
#define EXPLORER_ACCESS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access_file;

/* To be freed with access_file_free. NULL: `sentence` says what is wrong. */
struct access_file *access_file_read(const char *path, char *sentence, size_t room);
void access_file_free(struct access_file *file);

/* May these two messages to a rank be exchanged? `hash`: see access_file_hash. */
bool access_file_exchangeable(const struct access_file *file, unsigned rank, uint64_t hash, uint64_t other);
uint64_t access_file_hash(const void *bytes, size_t size);

#endif
