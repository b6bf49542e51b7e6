// The settings of a peer by name: a table has the value of each in both presets, and PBDR_ENGINE_SETTINGS, a JSON object such as
// {"iterations": 50}, puts others in their place. The search for "tuned" (engines/common/leaderboard.py) works through it.
// For C and C++.
#ifndef PBDR_BENCH_PEER_SETTINGS_H
#define PBDR_BENCH_PEER_SETTINGS_H

#include "peer_scene.h"

#include <stdlib.h>

#define PEER_MAX_SETTINGS 12
#define PEER_SETTING_SIZE 32 // characters of a value, with the 0

// Values are as JSON has them, texts without their quotes.
typedef struct PeerSetting {
    const char* name;
    const char* standard; // without a preset
    const char* tuned;    // as engines/NAME/settings.json has it
} PeerSetting;

typedef struct PeerSettings {
    int count;
    const char* names[PEER_MAX_SETTINGS];
    char values[PEER_MAX_SETTINGS][PEER_SETTING_SIZE];
} PeerSettings;

// The value of a setting that the table has.
static inline const char* peerGetText(const PeerSettings* settings, const char* name)
{
    for (int k = 0; k < settings->count; k++) {
        if (strcmp(settings->names[k], name) == 0) {
            return settings->values[k];
        }
    }
    return "";
}

static inline double peerGetNumber(const PeerSettings* settings, const char* name)
{
    return strtod(peerGetText(settings, name), NULL);
}

static inline bool peerIsOn(const PeerSettings* settings, const char* name)
{
    return strcmp(peerGetText(settings, name), "true") == 0;
}

// A text in quotes, or a word, at the begin of a JSON text; what follows it, or NULL if there is none or it is too long. No
// escapes.
static inline const char* peerReadWord(const char* text, char word[PEER_SETTING_SIZE])
{
    text += strspn(text, " ");
    const bool quoted = *text == '"';
    text += quoted ? 1 : 0;
    const size_t length = strcspn(text, quoted ? "\"" : " ,:{}\"");
    if (length >= PEER_SETTING_SIZE || (quoted ? text[length] != '"' : length == 0)) {
        return NULL;
    }
    memcpy(word, text, length);
    word[length] = '\0';
    text += length + (quoted ? 1 : 0);
    return text + strspn(text, " ");
}

static inline bool peerPutSetting(PeerSettings* settings, const char* name, const char* value,
                                  char message[PBDR_BENCH_MESSAGE])
{
    for (int k = 0; k < settings->count; k++) {
        if (strcmp(settings->names[k], name) == 0) {
            snprintf(settings->values[k], PEER_SETTING_SIZE, "%s", value);
            return true;
        }
    }
    snprintf(message, PBDR_BENCH_MESSAGE, "PBDR_ENGINE_SETTINGS: no setting \"%.40s\"", name);
    return false;
}

// Puts the values of a JSON object in; false, with a message, if it is none, or names a setting that is not there.
static inline bool peerOverrideSettings(PeerSettings* settings, const char* json,
                                        char message[PBDR_BENCH_MESSAGE])
{
    const char* at = json + strspn(json, " ");
    bool good = *at == '{';
    at += good ? 1 : 0;
    at += strspn(at, " ");
    while (good && *at != '}') {
        char name[PEER_SETTING_SIZE] = "", value[PEER_SETTING_SIZE] = "";
        at = peerReadWord(at, name);
        at = at != NULL && *at == ':' ? peerReadWord(at + 1, value) : NULL;
        if (at == NULL || (*at != ',' && *at != '}')) {
            good = false;
            break;
        }
        if (!peerPutSetting(settings, name, value, message)) {
            return false;
        }
        at += *at == ',' ? 1 : 0;
        at += strspn(at, " ");
    }
    if (!good) {
        snprintf(message, PBDR_BENCH_MESSAGE,
                 "PBDR_ENGINE_SETTINGS is not an object of numbers, words and texts");
    }
    return good;
}

// Those of a preset, with the environment's.
static inline bool peerTakeSettings(PeerSettings* settings, const PeerSetting* table, int count, bool tuned,
                                    char message[PBDR_BENCH_MESSAGE])
{
    settings->count = count;
    for (int k = 0; k < count; k++) {
        settings->names[k] = table[k].name;
        snprintf(settings->values[k], PEER_SETTING_SIZE, "%s", tuned ? table[k].tuned : table[k].standard);
    }
    const char* json = getenv("PBDR_ENGINE_SETTINGS");
    return json == NULL || peerOverrideSettings(settings, json, message);
}

// All of them for the record: "settings", "settings1" and so on, as the adapters in Python note their options.
static inline void peerNoteSettings(PeerNotes* notes, const PeerSettings* settings)
{
    char text[160] = "", key[24] = "settings";
    int used = 0, parts = 0;
    for (int k = 0; k < settings->count; k++) {
        const int needed = (int)(strlen(settings->names[k]) + strlen(settings->values[k])) + 3;
        if (used + needed > 150) {
            peerAddNote(notes, key, "%s", text);
            snprintf(key, sizeof key, "settings%d", ++parts);
            used = 0;
        }
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s %s", used > 0 ? ", " : "",
                         settings->names[k], settings->values[k]);
    }
    peerAddNote(notes, key, "%s", text);
}

#endif
