#include "contact/broad_phase.h"

#include <stdlib.h>

static int compareBoxes(const void* a, const void* b)
{
    const pbdrBox *first = a, *second = b;
    if (first->lower[0] != second->lower[0]) {
        return first->lower[0] < second->lower[0] ? -1 : 1;
    }
    return first->body - second->body;
}

// Across x; along it the sweep has seen to that.
static bool areApart(const pbdrBox* a, const pbdrBox* b)
{
    bool apart = false;
    for (int k = 1; k < 3; k++) {
        apart = apart || b->lower[k] > a->upper[k] || a->lower[k] > b->upper[k];
    }
    return apart;
}

bool pbdrSweepBoxes(const pbdrScene* scene, pbdrList* list, pbdrBoxVisit visit, void* context)
{
    pbdrBox* boxes = list->items;
    const int count = list->count;
    if (count > 1) {
        qsort(boxes, (size_t)count, sizeof *boxes, compareBoxes);
    }
    bool good = true;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count && boxes[j].lower[0] <= boxes[i].upper[0]; j++) {
            if (pbdrCanTouch(scene, boxes[i].body, boxes[j].body) && !areApart(&boxes[i], &boxes[j])) {
                good = visit(context, &boxes[i], &boxes[j]) && good;
            }
        }
    }
    return good;
}
