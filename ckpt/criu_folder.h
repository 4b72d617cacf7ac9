/* Folders for images that do not outlive their owner for long: the owner, killed or not, holds a lock on its folder while it
 * lives, and whoever makes the next one beside it removes those whose lock is free. */
#ifndef CKPT_CRIU_FOLDER_H
#define CKPT_CRIU_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

struct image_folder {
    char *path; /* malloc'd; NULL: none */
    int lock;
};

/* Makes explore-images-XXXXXX in `parent` (NULL: TMPDIR, or /tmp). NULL, or a malloc'd sentence. */
char *image_folder_make(struct image_folder *folder, const char *parent);
/* Removes it with all that is in it. */
void image_folder_remove(struct image_folder *folder);

/* Is there nothing in it but folders made by image_folder_make? */
bool image_folder_is_empty(const char *path);

/* Is that folder kept in memory (on a tmpfs)? */
bool folder_in_memory(const char *path);
/* Bytes that the files in it take. */
uint64_t folder_bytes(const char *path);
/* Removes a folder with the files in it, and their folders. */
void folder_remove(const char *path);

#endif
