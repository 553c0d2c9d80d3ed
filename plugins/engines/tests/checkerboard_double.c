/* An engine for CheckerBoard, for tests: it plays the first move that it finds, and misbehaves as $FAULT says. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHITE 1
#define BLACK 2
#define MAN 4
#define KING 8

struct coor { int x, y; };
struct CBmove {
    int jumps, newpiece, oldpiece;
    struct coor from, to, path[12], del[12];
    int delpiece[12];
};

static struct CBmove made;

static int inside(int x, int y) { return 0 <= x && x < 8 && 0 <= y && y < 8; }

static int may_go(int piece, int dy) { return (piece & KING) || dy == (piece & BLACK ? 1 : -1); }

/* Put a piece on a square, and crown it there; return whether it was crowned. */
static int put(int b[8][8], int x, int y, int piece)
{
    int crowned = (piece & MAN) && y == (piece & BLACK ? 7 : 0);
    b[x][y] = crowned ? (piece & ~MAN) | KING : piece;
    made.to.x = x, made.to.y = y, made.newpiece = b[x][y];
    return crowned;
}

/* Jump as long as possible. */
static int jump(int b[8][8], int x, int y)
{
    int piece = b[x][y], enemy = piece & BLACK ? WHITE : BLACK;
    for (int dy = -1; dy < 2; dy += 2)
        for (int dx = -1; dx < 2; dx += 2) {
            int over_x = x + dx, over_y = y + dy, to_x = x + 2 * dx, to_y = y + 2 * dy;
            if (!may_go(piece, dy) || !inside(to_x, to_y) || !(b[over_x][over_y] & enemy) || b[to_x][to_y])
                continue;
            b[x][y] = b[over_x][over_y] = 0;
            made.del[made.jumps].x = over_x, made.del[made.jumps].y = over_y, made.jumps++;
            if (!put(b, to_x, to_y, piece))
                jump(b, to_x, to_y);
            return 1;
        }
    return 0;
}

static int step(int b[8][8], int x, int y)
{
    int piece = b[x][y];
    for (int dy = -1; dy < 2; dy += 2)
        for (int dx = -1; dx < 2; dx += 2)
            if (may_go(piece, dy) && inside(x + dx, y + dy) && !b[x + dx][y + dy]) {
                b[x][y] = 0;
                put(b, x + dx, y + dy, piece);
                return 1;
            }
    return 0;
}

static int is(const char *fault) { return getenv("FAULT") && !strcmp(getenv("FAULT"), fault); }

int enginecommand(char command[256], char reply[1024])
{
    printf("command %s\n", command), fflush(stdout);
    if (!strcmp(command, "get gametype"))
        return sprintf(reply, is("italian") ? "22" : "21"), 1;
    if (!strncmp(command, "set hashsize ", 13))
        return sprintf(reply, "it is set"), 1;
    return sprintf(reply, "?"), 0;
}

int getmove(int b[8][8], int color, double maxtime, char str[1024], int *playnow, int info, int more, struct CBmove *move)
{
    int before[8][8];
    printf("getmove color %d info %d seconds %.2f\n", color, info, maxtime), fflush(stdout);
    if (is("crash"))
        abort();
    if (is("none"))
        return 0;
    while (is("waits") && !*playnow)
        usleep(1000);
    memcpy(before, b, sizeof before);
    for (int kind = 0; kind < 2; kind++)
        for (int x = 0; x < 8; x++)
            for (int y = 0; y < 8; y++)
                if (b[x][y] & color) {
                    memset(&made, 0, sizeof made);
                    made.from.x = x, made.from.y = y;
                    if (!(kind ? step(b, x, y) : jump(b, x, y)))
                        continue;
                    if (is("struct"))
                        *move = made, memcpy(b, before, sizeof before);
                    if (is("illegal"))
                        b[0][0] = WHITE | KING;
                    return sprintf(str, "moved"), 3;
                }
    return 2;
}
