// Shapes as Python sees them: a pbdrShape, and the recipe it can be made again from.
#ifndef PBDR_PYTHON_SHAPE_H
#define PBDR_PYTHON_SHAPE_H

#include "common.h"

struct Shape {
    pbdrShape* shape = nullptr;
    nb::object recipe;  // (name, arguments...), for pickling: pbdr/_shapes.py makes it again
    nb::object quality; // dict, or None where nothing was packed

    Shape(pbdrShape* shape, nb::object recipe, nb::object quality)
        : shape(shape), recipe(std::move(recipe)), quality(std::move(quality))
    {
    }
    ~Shape()
    {
        pbdrReleaseShape(shape);
    }
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape&) = delete;
};

// The Python object of a shape, a reference to which it takes over.
nb::object makeShape(pbdrShape* shape, nb::object recipe, nb::object quality = nb::none());

#endif
