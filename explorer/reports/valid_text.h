/* Text as the formats of reports demand it: a program's name, its arguments and what it says can be any bytes, JSON and XML
 * cannot. */
#ifndef EXPLORER_VALID_TEXT_H
#define EXPLORER_VALID_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Length in bytes of the UTF-8 character that `text` begins with; 0 if that is none. */
size_t valid_text_character(const char *text);
/* A copy in which each byte that belongs to no UTF-8 character is U+FFFD; malloc'd. */
char *valid_text(const char *text);
/* The same as a JSON string. */
json_t *valid_text_json(const char *text);

#endif
