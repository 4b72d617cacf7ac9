#include "models/mpi/preload/process/step_variants.h"

#include "models/mpi/preload/memory/allocation_log.h"
#include "models/mpi/preload/process/control.h"

#include <string.h>

void step_variants_begin(bool may_vary) {
    struct step_variants *variants = &control->variants;
    variants->may_vary = may_vary && control->channel->keeps_pages && !allocation_log_kept();
    variants->root_in = control->image.current;
    variants->variant = variants->agreed = 0;
    variants->of_unseen = false;
    control->mailbox->varies = 0;
}

static bool is_to_be_varied(enum channel_status status) {
    const struct step_variants *variants = &control->variants;
    return variants->may_vary && (status == STATUS_BLOCKED || status == STATUS_ENDED) &&
           (control->foreign.puts > 0 || control->foreign.unseen > 0 || control->foreign.forgotten > 0) &&
           !control->foreign.unseen_touched && control->mailbox->others.pieces == 0 && !control->mailbox->shares &&
           control->report_used <= sizeof variants->report;
}

static void note_usual(enum channel_status status) {
    struct step_variants *variants = &control->variants;
    variants->status = status;
    variants->root_out = control->mailbox->root_out;
    variants->puts = control->foreign.puts;
    variants->unseen = control->foreign.unseen;
    variants->forgotten = control->foreign.forgotten;
    variants->forgotten_site = control->foreign.forgotten_site;
    variants->report_used = control->report_used;
    memcpy(variants->report, mailbox_report(control->mailbox), control->report_used);
}

static bool agrees(enum channel_status status) {
    const struct step_variants *variants = &control->variants;
    return status == variants->status && control->mailbox->root_out == variants->root_out && !control->foreign.unseen_touched &&
           control->report_used == variants->report_used &&
           memcmp(mailbox_report(control->mailbox), variants->report, variants->report_used) == 0;
}

static void tell_usual(enum channel_status *status) {
    const struct step_variants *variants = &control->variants;
    *status = variants->status;
    control->mailbox->root_out = variants->root_out;
    control->mailbox->others.pieces = 0;
    control->mailbox->shares = 0;
    control->foreign.puts = variants->puts;
    control->foreign.unseen = variants->unseen;
    control->foreign.forgotten = variants->forgotten;
    control->foreign.forgotten_site = variants->forgotten_site;
    control->foreign.unseen_touched = 0;
    control->report_used = variants->report_used;
    memcpy(mailbox_report(control->mailbox), variants->report, variants->report_used);
}

/* First those for windows that were not looked at; that with closed memory last. False: all have been run. */
static bool begin_next(void) {
    struct step_variants *variants = &control->variants;
    const uint32_t of_unseen = variants->unseen > 0 ? UNSEEN_VARIANTS : 0;
    const uint32_t with_others = of_unseen + (variants->puts > 0 ? BUFFER_VARIANTS : 0);
    if (variants->agreed == with_others + (variants->forgotten > 0))
        return false;
    variants->of_unseen = variants->agreed < of_unseen;
    variants->variant = variants->agreed == with_others ? (uint32_t)CLOSED_VARIANT
                                                        : 1 + variants->agreed - (variants->of_unseen ? 0 : of_unseen);
    control->mailbox->varies = 1;
    return true;
}

bool step_variants_go_on(enum channel_status *status) {
    struct step_variants *variants = &control->variants;
    const bool is_usual = variants->variant == 0;
    if (is_usual && !is_to_be_varied(*status))
        return false;
    if (is_usual) {
        note_usual(*status);
    } else if (!agrees(*status)) {
        tell_usual(status);
        variants->agreed = 0;
        return false;
    } else {
        variants->agreed++;
    }
    return begin_next();
}
