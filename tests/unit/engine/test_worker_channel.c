/* SPDX-License-Identifier: Apache-2.0 */
/* Packets with descriptors, and memory that processes share.
 * ctest: uses unit/groth16 */
#define _GNU_SOURCE
#include "engine/worker_channel.h"
#include "harness.h"
#include "keeping.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const assay_worker_message message = {.kind = ASSAY_MESSAGE_DONE, .bytes = 42, .text = "t"};

TEST(a_descriptor_with_a_message)
{
    int pair[2], got = -2, tube[2];
    assay_worker_message m;
    char c = 0;
    REQUIRE_OK(assay_channel_pair(pair, NULL));
    REQUIRE(pipe(tube) == 0);
    CHECK(assay_channel_receive(pair[1], &m, NULL, &got, false) == ASSAY_CHANNEL_AGAIN && got == -1);
    REQUIRE(assay_channel_send(pair[0], &message, NULL, tube[0], false) == ASSAY_CHANNEL_OK);
    CHECK(assay_channel_send(pair[0], &message, NULL, -1, false) == ASSAY_CHANNEL_OK);
    REQUIRE(assay_channel_receive(pair[1], &m, NULL, &got, false) == ASSAY_CHANNEL_OK);
    CHECK(m.kind == message.kind && m.bytes == 42);
    REQUIRE(got >= 0 && got != tube[0]);
    CHECK(fcntl(got, F_GETFD) & FD_CLOEXEC);
    CHECK(write(tube[1], "x", 1) == 1 && read(got, &c, 1) == 1 && c == 'x');
    (void)close(got);
    CHECK(assay_channel_receive(pair[1], &m, NULL, &got, true) == ASSAY_CHANNEL_OK && got == -1);
    (void)close(pair[0]);
    CHECK(assay_channel_receive(pair[1], &m, NULL, &got, true) == ASSAY_CHANNEL_GONE);
    CHECK(assay_channel_send(pair[1], &message, NULL, -1, true) == ASSAY_CHANNEL_GONE); /* and no signal */
    (void)close(pair[1]);
    (void)close(tube[0]);
    (void)close(tube[1]);
}

/* What a process sent before it died is read, though it did not read what it was sent. */
TEST(last_words)
{
    int pair[2], got;
    assay_worker_message m;
    REQUIRE_OK(assay_channel_pair(pair, NULL));
    CHECK(assay_channel_send(pair[0], &message, NULL, -1, false) == ASSAY_CHANNEL_OK);
    CHECK(assay_channel_send(pair[1], &message, NULL, -1, false) == ASSAY_CHANNEL_OK);
    (void)close(pair[1]);
    CHECK(assay_channel_receive(pair[0], &m, NULL, &got, false) == ASSAY_CHANNEL_OK && m.bytes == 42);
    CHECK(assay_channel_receive(pair[0], &m, NULL, &got, false) == ASSAY_CHANNEL_GONE);
    (void)close(pair[0]);
}

/* What is no message is not taken, and a descriptor that came with it does not stay open. */
TEST(packets_that_are_no_messages)
{
    int pair[2], got;
    assay_worker_message m;
    static uint8_t large[2 * ASSAY_MESSAGE_BYTES];
    REQUIRE_OK(assay_channel_pair(pair, NULL));
    CHECK(send(pair[0], "x", 1, 0) == 1);
    CHECK(assay_channel_receive(pair[1], &m, NULL, &got, false) == ASSAY_CHANNEL_BAD && got == -1);
    CHECK(send(pair[0], large, sizeof large, 0) == sizeof large);
    CHECK(assay_channel_receive(pair[1], &m, NULL, &got, false) == ASSAY_CHANNEL_BAD);
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(3 * sizeof(int))];
    } c;
    memset(&c, 0, sizeof c);
    struct iovec part = {large, 10};
    struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &c};
    const size_t before = keeping_descriptors((int)getpid());
    for (size_t n = 1; n <= 3; n++) {
        const int several[3] = {0, 0, 0};
        h.msg_controllen = CMSG_SPACE(n * sizeof(int));
        c.head =
            (struct cmsghdr){.cmsg_len = CMSG_LEN(n * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&c.head), several, n * sizeof(int));
        CHECK(sendmsg(pair[0], &h, 0) == 10);
        CHECK(assay_channel_receive(pair[1], &m, NULL, &got, false) == ASSAY_CHANNEL_BAD && got == -1);
    }
    CHECK_EQ_U64(keeping_descriptors((int)getpid()), before);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

TEST(a_full_socket_does_not_block)
{
    int pair[2], got;
    size_t sent = 0;
    assay_worker_message m;
    assay_channel_result r;
    REQUIRE_OK(assay_channel_pair(pair, NULL));
    while ((r = assay_channel_send(pair[0], &message, NULL, -1, false)) == ASSAY_CHANNEL_OK) sent++;
    CHECK(r == ASSAY_CHANNEL_AGAIN && sent > 10);
    for (size_t i = 0; i < sent; i++) CHECK(assay_channel_receive(pair[1], &m, NULL, &got, false) == ASSAY_CHANNEL_OK);
    CHECK(assay_channel_receive(pair[1], &m, NULL, &got, false) == ASSAY_CHANNEL_AGAIN);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

TEST(shared_memory_is_wiped_for_everybody)
{
    static const assay_blob two[] = {{(const uint8_t *)"secret", 6}, {(const uint8_t *)"more", 4}};
    assay_shared_memory m;
    uint8_t seen[10];
    int fd;
    REQUIRE_OK(assay_memory_share(&fd, "test", two, 2, NULL));
    const int other = dup(fd);
    CHECK(ftruncate(other, 3) != 0 && ftruncate(other, 30) != 0); /* neither shorter nor longer */
    REQUIRE_OK(assay_memory_map(&m, fd, 10, NULL));
    CHECK_EQ_MEM(m.p, "secretmore", 10);
    CHECK(fcntl(fd, F_GETFD) < 0); /* was taken over */
    assay_memory_wipe_shared(&m);
    CHECK(m.p == NULL && m.n == 0);
    assay_memory_wipe_shared(&m);
    CHECK(pread(other, seen, sizeof seen, 0) == 10);
    for (size_t i = 0; i < sizeof seen; i++) CHECK_EQ_U64(seen[i], 0);
    (void)close(other);
}

TEST(memory_that_is_not_mapped)
{
    static const assay_blob one = {(const uint8_t *)"x", 1};
    assay_shared_memory m;
    int fd = memfd_create("open", MFD_ALLOW_SEALING);
    REQUIRE(fd >= 0 && ftruncate(fd, 100) == 0);
    CHECK_STATUS(assay_memory_map(&m, fd, 100, NULL), ASSAY_EFORMAT); /* may shrink: reading it could kill us */
    CHECK(m.p == NULL);
    REQUIRE_OK(assay_memory_share(&fd, "test", &one, 1, NULL));
    CHECK_STATUS(assay_memory_map(&m, fd, 2, NULL), ASSAY_EFORMAT);
    CHECK_STATUS(assay_memory_map(&m, open("/dev/null", O_RDONLY | O_CLOEXEC), 0, NULL), ASSAY_EFORMAT);
    REQUIRE_OK(assay_memory_share(&fd, "test", NULL, 0, NULL));
    CHECK_OK(assay_memory_map(&m, fd, 0, NULL));
    CHECK(m.n == 0);
}

TEST(outputs_are_read_whole)
{
    static uint8_t bytes[100000];
    const assay_blob one = {bytes, sizeof bytes};
    assay_buffer b;
    int fd;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)assay_test_random();
    REQUIRE_OK(assay_memory_share(&fd, "test", &one, 1, NULL));
    const int other = dup(fd);
    CHECK_OK(assay_memory_read(&b, fd, sizeof bytes, NULL));
    CHECK(b.n == sizeof bytes && memcmp(b.p, bytes, b.n) == 0);
    assay_buffer_free(&b);
    CHECK_STATUS(assay_memory_read(&b, other, sizeof bytes - 1, NULL), ASSAY_ERANGE);
    CHECK(b.p == NULL && b.n == 0);
    CHECK_STATUS(assay_memory_read(&b, open("/dev/zero", O_RDONLY | O_CLOEXEC), 10, NULL), ASSAY_EIO);
    CHECK_STATUS(assay_memory_read(&b, -1, 10, NULL), ASSAY_EIO);
}
