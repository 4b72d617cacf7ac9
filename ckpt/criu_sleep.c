#include "ckpt/criu_sleep.h"

#include "ckpt/raw_syscall.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static long receive(int socket, void *message, size_t size, int *file) {
    struct iovec piece = {message, size};
    union criu_ancillary ancillary;
    struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
    long received;
    do
        received = RAW3(SYS_recvmsg, socket, &header, MSG_CMSG_CLOEXEC);
    while (received == -EINTR);
    if (received <= 0)
        return received == 0 ? -EPIPE : received;
    const struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    if (!rights || rights->cmsg_type != SCM_RIGHTS)
        return -EPROTO;
    __builtin_memcpy(file, CMSG_DATA(rights), sizeof *file);
    return received;
}

long criu_sleep(int socket, void *region, size_t region_bytes, void *message, size_t size) {
    RAW2(SYS_munmap, region, region_bytes);
    static const char asleep = 'z';
    long sent = RAW6(SYS_sendto, socket, &asleep, 1, MSG_NOSIGNAL, 0, 0);
    if (sent < 0)
        return sent;
    int file;
    long received = receive(socket, message, size, &file);
    if (received < 0)
        return received;
    long mapped = RAW6(SYS_mmap, region, region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
    RAW1(SYS_close, file);
    return mapped == (long)region ? received : mapped;
}
