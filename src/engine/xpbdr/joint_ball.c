// The law of a ball joint: spring, damper, armature, friction, a bound of its angle (docs/theory/joints.md).
//
//   impulse at the begin = dt/2 (-k (start + end)/2 - d turned/dt) - a (turned/dt - rate)
//   at the end           = dt/2 (the same torque)                  - a (end's rate - turned/dt)
//
// All are vectors along the axes of B's frame, where it is then. start and end: the turns from where both frames agree;
// turned: from begin to end, which has the same components in B's frame at both. Friction holds components of `turned` at
// zero or pushes against them with its bound; the angle's bound holds |end|, along the turn's own axis.
#include "engine/xpbdr/mechanism.h"

#include <string.h>

// Bits of what holds: friction, each of three components, and the bound.
#define FRICTION(k) (1 << (k))
#define BOUND 8
// Forces over their bounds by this share count as within them: rounding.
#define SLACK 1.0e-12
// The bound acts along the axis of the begin's turn where that and the end's are near each other, cosine; else the end's.
#define NEAR 0.5

static double getComponent(pbdrVec3 a, int k)
{
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

static int getSign(double a)
{
    return a > 0.0 ? 1 : a < 0.0 ? -1 : 0;
}

static int findLargest(pbdrVec3 n)
{
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static pbdrVec3 toVec(const double a[3])
{
    return (pbdrVec3){a[0], a[1], a[2]};
}

static void fromVec(pbdrVec3 a, double to[3])
{
    memcpy(to, &a, sizeof a);
}

// --- Turns ---

// How the vector of a turn changes where the turn goes on by a little: J of log(exp(v) exp(u)) = v + J u.
static void findDerivative(pbdrVec3 v, double j[3][3])
{
    const double square = pbdrDot(v, v), angle = sqrt(square);
    double factor = 1.0 / 12.0;
    if (angle > 1.0e-3) { // the next term of the series is angle^2/720
        double sineOver, cosine;
        pbdrSineAndCosine(0.5 * angle, &sineOver, &cosine);
        factor = (1.0 - cosine / sineOver) / square;
    }
    const pbdrMat3 one = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    const pbdrMat3 cross = pbdrCrossM(v, &one), twice = pbdrCrossM(v, &cross);
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 3; i++) {
            j[row][i] = one.m[row][i] + 0.5 * cross.m[row][i] + factor * twice.m[row][i];
        }
    }
}

static pbdrVec3 multiply(double m[3][3], pbdrVec3 v)
{
    return (pbdrVec3){pbdrDot(toVec(m[0]), v), pbdrDot(toVec(m[1]), v), pbdrDot(toVec(m[2]), v)};
}

// The turn nearest to another: half a turn farther it would count from the other side.
static pbdrVec3 followTurn(const pbdrMat3* turn, pbdrVec3 last)
{
    const pbdrVec3 here = pbdrGetTurnVector(turn);
    const double angle = pbdrLength(here);
    if (angle < 0.5 * PBDR_PI) {
        return here;
    }
    const pbdrVec3 other = pbdrScale((angle - 2.0 * PBDR_PI) / angle, here);
    const pbdrVec3 a = pbdrSub(here, last), b = pbdrSub(other, last);
    return pbdrDot(a, a) <= pbdrDot(b, b) ? here : other;
}

static pbdrVec3 getAxisOf(pbdrVec3 turn, pbdrVec3 fallback)
{
    const double angle = pbdrLength(turn);
    return angle > 0.0 ? pbdrScale(1.0 / angle, turn) : fallback;
}

// --- Begin and end ---

void pbdrStartBall(const pbdrJoint* joint, const pbdrMat3* turn, pbdrVec3 rate, struct pbdrBallLaw* ball)
{
    memset(ball, 0, sizeof *ball);
    ball->place = *turn;
    ball->start = pbdrGetTurnVector(turn);
    ball->rate = rate;
    ball->holds = joint->hold;
    for (int k = 0; k < 3; k++) {
        ball->signs[k] = getSign(getComponent(rate, k));
        if (joint->friction > 0.0 && ball->signs[k] == 0 && (ball->holds & BOUND) == 0) {
            ball->holds |= FRICTION(k);
        }
        ball->slopes[1][k][k] = joint->armature;
    }
    ball->end = ball->start;
    ball->normals[0] = ball->normals[1] = getAxisOf(ball->start, pbdrVec(0.0, 0.0, 1.0));
    if ((ball->holds & BOUND) != 0) {
        ball->holds &= ~FRICTION(findLargest(ball->normals[1]));
    }
}

void pbdrPlaceBall(const pbdrJoint* joint, const pbdrMat3* turn, double dt, struct pbdrBallLaw* ball)
{
    const pbdrMat3 back = pbdrTranspose(&ball->place), way = pbdrMulMM(&back, turn);
    double byTurn[3][3], byWay[3][3];
    ball->turned = pbdrGetTurnVector(&way);
    ball->end = followTurn(turn, ball->start);
    ball->normals[1] = getAxisOf(ball->end, ball->normals[1]);
    findDerivative(ball->end, byTurn);
    findDerivative(ball->turned, byWay);
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 3; i++) {
            ball->slopes[0][row][i] = 0.25 * dt * joint->stiffness * byTurn[row][i] +
                                      (0.5 * joint->damping + joint->armature / dt) * byWay[row][i];
        }
    }
}

// What friction pushes with at its bound.
static pbdrVec3 getSlip(const pbdrJoint* joint, const struct pbdrBallLaw* ball)
{
    double slip[3];
    for (int k = 0; k < 3; k++) {
        slip[k] = (ball->holds & FRICTION(k)) != 0 ? 0.0 : -ball->signs[k] * joint->friction;
    }
    return toVec(slip);
}

// Springs, dampers and what slips, over half a substep.
static pbdrVec3 getTorqueImpulse(const pbdrJoint* joint, const struct pbdrBallLaw* ball, double dt)
{
    const pbdrVec3 spring = pbdrScale(-0.5 * joint->stiffness, pbdrAdd(ball->start, ball->end)),
                   damper = pbdrScale(-joint->damping / dt, ball->turned);
    return pbdrScale(0.5 * dt, pbdrAdd(pbdrAdd(spring, damper), getSlip(joint, ball)));
}

pbdrVec3 pbdrGetBallLoad(const pbdrJoint* joint, const struct pbdrBallLaw* ball, double dt, bool atEnd)
{
    const pbdrVec3 impulse = getTorqueImpulse(joint, ball, dt);
    return atEnd
               ? pbdrAddScaled(impulse, joint->armature / dt, ball->turned)
               : pbdrAddScaled(impulse, joint->armature, pbdrAddScaled(ball->rate, -1.0 / dt, ball->turned));
}

// --- Rows ---

// Fills the first rows with directions at right angles to the last ones, so that there are three.
static void complete(int heldCount, double rows[3][3])
{
    if (heldCount == 0) {
        memset(rows, 0, sizeof(double[3][3]));
        rows[0][0] = rows[1][1] = rows[2][2] = 1.0;
    } else if (heldCount == 1) {
        const pbdrVec3 n = toVec(rows[2]);
        const pbdrVec3 other =
            fabs(n.x) < 0.6 * pbdrLength(n) ? pbdrVec(1.0, 0.0, 0.0) : pbdrVec(0.0, 1.0, 0.0);
        const pbdrVec3 across = pbdrCross(n, other), side = pbdrScale(1.0 / pbdrLength(across), across);
        const pbdrVec3 third = pbdrCross(n, side);
        fromVec(side, rows[0]);
        fromVec(third, rows[1]);
    } else if (heldCount == 2) {
        fromVec(pbdrCross(toVec(rows[1]), toVec(rows[2])), rows[0]);
    }
}

// Rows with a slope, what holds counting by its own directions; rests are the caller's. byWay: how components of `turned` go
// with the motion, or NULL where that is the motion itself.
static void makeRows(struct pbdrBallLaw* ball, double slope[3][3], pbdrVec3 acts, double byWay[3][3])
{
    pbdrBallRows* rows = &ball->rows;
    int count = 0;
    for (int k = 0; k < 4; k++) {
        count += (ball->holds & (1 << k)) != 0;
    }
    rows->heldCount = count;
    int row = 3 - count;
    for (int k = 0; k < 4; k++) {
        if ((ball->holds & (1 << k)) == 0) {
            continue;
        }
        const pbdrVec3 axis = {k == 0, k == 1, k == 2};
        fromVec(k < 3 ? axis : acts, rows->acts[row]);
        fromVec(k == 3 ? ball->normals[1] : byWay == NULL ? axis : toVec(byWay[k]), rows->states[row]);
        row++;
    }
    complete(count, rows->acts);
    for (int free = 0; free < 3 - count; free++) {
        for (int i = 0; i < 3; i++) {
            rows->states[free][i] = rows->acts[free][0] * slope[0][i] + rows->acts[free][1] * slope[1][i] +
                                    rows->acts[free][2] * slope[2][i];
        }
    }
}

// Rests of rows: of free ones how far impulses are off, of held ones those of components and of the bound.
static void setRests(struct pbdrBallLaw* ball, pbdrVec3 off, pbdrVec3 ways, double beyond)
{
    pbdrBallRows* rows = &ball->rows;
    int row = 3 - rows->heldCount;
    for (int free = 0; free < row; free++) {
        rows->rests[free] = pbdrDot(toVec(rows->acts[free]), off);
    }
    for (int k = 0; k < 4; k++) {
        if ((ball->holds & (1 << k)) != 0) {
            rows->rests[row++] = k < 3 ? getComponent(ways, k) : beyond;
        }
    }
}

void pbdrFindBallRows(const pbdrJoint* joint, double dt, pbdrVec3 impulse, struct pbdrBallLaw* ball)
{
    double byWay[3][3];
    findDerivative(ball->turned, byWay);
    makeRows(ball, ball->slopes[0], ball->normals[0], byWay);
    setRests(ball, pbdrSub(impulse, pbdrGetBallLoad(joint, ball, dt, false)), ball->turned,
             pbdrLength(ball->end) - joint->upper);
}

void pbdrFindBallEndRows(const pbdrJoint* joint, double dt, pbdrVec3 impulse, pbdrVec3 rate,
                         struct pbdrBallLaw* ball)
{
    const pbdrVec3 own = pbdrAddScaled(impulse, joint->armature, rate);
    makeRows(ball, ball->slopes[1], ball->normals[1], NULL);
    setRests(ball, pbdrSub(own, pbdrGetBallLoad(joint, ball, dt, true)), rate,
             pbdrDot(ball->normals[1], rate));
}

void pbdrFindBallGap(const pbdrJoint* joint, struct pbdrBallLaw* ball)
{
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    makeRows(ball, ball->slopes[1], ball->normals[1], NULL);
    setRests(ball, none, none, pbdrLength(ball->end) - joint->upper);
}

// x with the rows' products with it given.
static pbdrVec3 solveRows(double rows[3][3], pbdrVec3 side)
{
    const pbdrVec3 a = toVec(rows[0]), b = toVec(rows[1]), c = toVec(rows[2]);
    const pbdrVec3 bc = pbdrCross(b, c), ca = pbdrCross(c, a), ab = pbdrCross(a, b);
    const double over = 1.0 / pbdrDot(a, bc);
    return pbdrAddScaled(pbdrAddScaled(pbdrScale(over * side.x, bc), over * side.y, ca), over * side.z, ab);
}

pbdrVec3 pbdrGetBallWay(const struct pbdrBallLaw* ball)
{
    const pbdrBallRows* own = &ball->rows;
    double rows[3][3], side[3] = {0.0, 0.0, 0.0};
    if (own->heldCount == 0) {
        return (pbdrVec3){0.0, 0.0, 0.0};
    }
    memcpy(rows, own->states, sizeof rows);
    complete(own->heldCount, rows);
    for (int row = 3 - own->heldCount; row < 3; row++) {
        side[row] = -own->rests[row];
    }
    return solveRows(rows, toVec(side));
}

double pbdrGetBallRest(const pbdrJoint* joint, const struct pbdrBallLaw* ball, double dt)
{
    // an impulse that is off is worth a way
    const double slope = 0.25 * dt * joint->stiffness + 0.5 * joint->damping + joint->armature / dt;
    double worst = 0.0;
    for (int row = 0; row < 3; row++) {
        const double rest =
            fabs(ball->rows.rests[row]) / (row < 3 - ball->rows.heldCount ? pbdrMax(slope, 1.0) : 1.0);
        worst = rest <= worst ? worst : rest; // also of NaN
    }
    return worst;
}

pbdrVec3 pbdrForeseeBall(struct pbdrBallLaw* ball, pbdrVec3 motion)
{
    double byWay[3][3];
    findDerivative(ball->turned, byWay);
    return pbdrAdd(ball->turned, multiply(byWay, motion));
}

// --- What holds ---

// Shares of what holds in an impulse that nothing else accounts for, along the directions in which they act; rows are as they
// were when that was found.
static void findShares(const struct pbdrBallLaw* ball, pbdrVec3 extra, double shares[4])
{
    const double(*acts)[3] = ball->rows.acts;
    double columns[3][3];
    for (int i = 0; i < 3; i++) {
        for (int row = 0; row < 3; row++) {
            columns[i][row] = acts[row][i];
        }
    }
    const pbdrVec3 all = solveRows(columns, extra);
    int row = 3 - ball->rows.heldCount;
    for (int k = 0; k < 4; k++) {
        shares[k] = (ball->holds & (1 << k)) != 0 ? getComponent(all, row++) : 0.0;
    }
}

// The bound begins to hold: along the begin's axis, as the scheme has it, unless that is another.
static void meetBound(struct pbdrBallLaw* ball)
{
    const pbdrVec3 first = getAxisOf(ball->start, ball->normals[1]);
    const int most = findLargest(ball->normals[1]);
    ball->normals[0] = pbdrDot(first, ball->normals[1]) > NEAR ? first : ball->normals[1];
    ball->holds = (ball->holds & ~FRICTION(most)) | BOUND;
    ball->signs[most] = getSign(getComponent(ball->normals[1], most));
}

// Friction, which does not hold the component that the bound has most to do with: that is held by the others and the bound.
static void changeFriction(const pbdrJoint* joint, pbdrVec3 way, const double shares[4], double unit,
                           double slack, struct pbdrBallLaw* ball)
{
    const int most = (ball->holds & BOUND) != 0 ? findLargest(ball->normals[1]) : -1;
    for (int k = 0; joint->friction > 0.0 && k < 3; k++) {
        if ((ball->holds & FRICTION(k)) != 0) {
            if (fabs(shares[k]) > unit * joint->friction + slack) {
                ball->holds &= ~FRICTION(k);
                ball->signs[k] = shares[k] > 0.0 ? -1 : 1;
            }
        } else if (getComponent(way, k) * ball->signs[k] < 0.0) {
            ball->holds |= k == most ? 0 : FRICTION(k);
            ball->signs[k] = k == most ? 0 : ball->signs[k];
        }
    }
}

static bool decide(const pbdrJoint* joint, pbdrVec3 way, double angle, pbdrVec3 load, pbdrVec3 found,
                   double unit, struct pbdrBallLaw* ball)
{
    const pbdrVec3 extra = pbdrSub(found, load);
    const double slack = SLACK * (pbdrLength(load) + pbdrLength(extra));
    const int before = ball->holds, signs = ball->signs[0] + 3 * ball->signs[1] + 9 * ball->signs[2];
    double shares[4];
    findShares(ball, extra, shares);
    changeFriction(joint, way, shares, unit, slack, ball);
    if ((before & BOUND) == 0) {
        // rounding would make one that is held at its bound leave it
        if (angle > joint->upper + 1.0e-14) {
            meetBound(ball);
        }
    } else if (shares[3] > slack) {
        ball->holds &= ~BOUND;
    }
    return ball->holds != before || ball->signs[0] + 3 * ball->signs[1] + 9 * ball->signs[2] != signs;
}

bool pbdrChangeBall(const pbdrJoint* joint, pbdrVec3 impulse, double dt, struct pbdrBallLaw* ball)
{
    return decide(joint, ball->turned, pbdrLength(ball->end), pbdrGetBallLoad(joint, ball, dt, false),
                  impulse, 0.5 * dt, ball);
}

bool pbdrReleaseBall(const pbdrJoint* joint, pbdrVec3 impulse, pbdrVec3 rate, double dt,
                     struct pbdrBallLaw* ball)
{
    double shares[4];
    if ((ball->holds & BOUND) == 0) {
        return false;
    }
    pbdrFindBallEndRows(joint, dt, impulse, rate, ball);
    const pbdrVec3 own = pbdrAddScaled(impulse, joint->armature, rate);
    findShares(ball, pbdrSub(own, pbdrGetBallLoad(joint, ball, dt, true)), shares);
    if (!(shares[3] > 0.0)) {
        return false;
    }
    ball->holds &= ~BOUND;
    return true;
}

void pbdrKeepBound(struct pbdrBallLaw* ball)
{
    ball->holds &= BOUND;
    memset(ball->slopes[1], 0, sizeof ball->slopes[1]);
}

// --- What it did ---

void pbdrNoteBallWork(const struct pbdrBallLaw* ball, pbdrVec3 force, pbdrJoint* joint)
{
    joint->work = pbdrDot(force, ball->turned);
}

void pbdrNoteBall(const pbdrActiveJoint* active, pbdrJoint* joint, double dt)
{
    const pbdrVec3 both = pbdrAdd(pbdrGetBallImpulse(active->push), pbdrGetBallImpulse(active->pull));
    pbdrNoteBallWork(&active->ball, pbdrScale(1.0 / dt, both), joint);
    joint->hold = active->ball.holds;
}

// --- With contacts ---

void pbdrStartContactBall(const pbdrJoint* joint, const pbdrMat3* end, double dt, struct pbdrBallLaw* ball)
{
    double byTurn[3][3];
    ball->end = followTurn(end, ball->start);
    ball->normals[0] = ball->normals[1] = getAxisOf(ball->end, ball->normals[1]);
    findDerivative(ball->end, byTurn);
    const pbdrVec3 middle = pbdrAddScaled(ball->start, 0.5 * dt, multiply(byTurn, ball->rate));
    ball->offset = pbdrAddScaled(pbdrScale(-joint->stiffness, middle), -joint->damping, ball->rate);
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 3; i++) {
            ball->slopes[0][row][i] =
                0.25 * joint->stiffness * byTurn[row][i] +
                (row == i ? 0.5 * joint->damping / dt + joint->armature / (dt * dt) : 0.0);
        }
    }
}

// The force that the joint has but for what holds it.
static pbdrVec3 getContactLoad(const pbdrJoint* joint, struct pbdrBallLaw* ball, pbdrVec3 change)
{
    return pbdrAdd(pbdrSub(ball->offset, multiply(ball->slopes[0], change)), getSlip(joint, ball));
}

void pbdrFindContactBallRows(const pbdrJoint* joint, pbdrVec3 way, pbdrVec3 change, pbdrVec3 force,
                             struct pbdrBallLaw* ball)
{
    const pbdrVec3 load = getContactLoad(joint, ball, change);
    makeRows(ball, ball->slopes[0], ball->normals[1], NULL);
    setRests(ball, pbdrSub(force, load), way,
             pbdrDot(ball->normals[1], change) + pbdrLength(ball->end) - joint->upper);
}

bool pbdrChangeContactBall(const pbdrJoint* joint, pbdrVec3 way, pbdrVec3 change, pbdrVec3 force,
                           struct pbdrBallLaw* ball)
{
    const pbdrVec3 normal = ball->normals[1];
    pbdrFindContactBallRows(joint, way, change, force, ball);
    const bool changed = decide(joint, way, pbdrLength(ball->end) + pbdrDot(normal, change),
                                getContactLoad(joint, ball, change), force, 1.0, ball);
    ball->normals[0] = normal;
    return changed;
}
