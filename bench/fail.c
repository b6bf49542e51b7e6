#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

pbdrStatus benchFail(pbdrError* error, pbdrStatus status, const char* format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}
