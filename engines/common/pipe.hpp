// The engine's end of the pipe (docs/protocol.md) for adapters in C++: serve(settings, engine). JSON by nlohmann's library.
#pragma once

#include <array>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace pipe {

using Json = nlohmann::ordered_json;

constexpr int PROTOCOL = 1;

class Engine {
public:
    virtual ~Engine() = default;
    virtual std::string version() const = 0;
    // Makes the scene with every setting of its preset. What is thrown with "not supported" in front is no failure.
    virtual void create(const Json& scene, const Json& options) = 0;
    virtual void step(int count) = 0;
    // Position, rotation w, x, y, z, velocity and angular velocity, world axes.
    virtual std::array<double, 13> read(int body) const = 0;
    // Sum of the contact forces now [N]; nothing: not told.
    virtual std::optional<std::array<double, 3>> contactForce(int) const { return std::nullopt; }
};

inline double getProcessorTime()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Every setting of a preset: those of default, then the preset's own, then for scenes with joints those of "joints", then what the
// search is trying out.
inline Json findOptions(const Json& settings, const std::string& preset, bool jointed)
{
    Json options = settings.at("presets").at("default");
    const std::string own = preset.empty() ? "default" : preset;
    const Json joints = jointed ? settings.at("joints") : Json::object(), none = Json::object();
    options.update(joints.value("default", none)); // names what they may change
    const char* tried = std::getenv("PBDR_ENGINE_SETTINGS");
    for (const Json& more : {settings.at("presets").at(own), joints.value("default", none), joints.value(own, none), Json::parse(tried ? tried : "{}")}) {
        for (const auto& [key, value] : more.items()) {
            if (!options.contains(key)) {
                throw std::runtime_error("a setting that the preset default does not name: " + key);
            }
            options[key] = value;
        }
    }
    return options;
}

inline bool isUnable(const std::string& what, const Json& scene)
{
    int free = 0;
    bool rod = false, shape = false;
    for (const Json& body : scene.at("bodies")) {
        rod = rod || body.at("prescribed").get<bool>();
        free += !body.at("prescribed").get<bool>();
        shape = shape || body.at("shape") == what;
    }
    return what == "restitution" ? scene.at("restitution").get<double>() > 0 : what == "rod" ? rod : what == "many" ? free > 1 : shape;
}

inline Json readBodies(const Engine& engine, int count)
{
    Json rows = Json::array();
    for (int k = 0; k < count; k++) {
        rows.push_back(engine.read(k)); // what is not finite is null in this library as in the protocol
    }
    return rows;
}

inline Json answer(Engine& engine, const Json& settings, int& bodies, const Json& call)
{
    const std::string what = call.at("call");
    if (what == "hello") {
        std::string presets;
        for (const auto& [name, options] : settings.at("presets").items()) {
            presets += name == "default" ? "" : (presets.empty() ? "" : ",") + name;
        }
        return {{"ok", true}, {"protocol", PROTOCOL}, {"name", settings.at("engine")}, {"version", engine.version()},
                {"presets", presets}, {"uses_spheres", false}, {"uses_joints", settings.contains("joints")}};
    }
    if (what == "create") {
        const Json& scene = call.at("scene");
        const Json options = findOptions(settings, scene.at("preset"), scene.contains("joints"));
        const Json unable = settings.value("not_supported", Json::object());
        for (const auto& [kind, why] : unable.items()) {
            if (isUnable(kind, scene)) {
                throw std::runtime_error("not supported: " + why.get<std::string>());
            }
        }
        engine.create(scene, options);
        bodies = static_cast<int>(scene.at("bodies").size());
        std::string text;
        for (const auto& [key, value] : options.items()) {
            text += (text.empty() ? "" : ", ") + key + " " + value.dump();
        }
        Json notes = {{"version", engine.version()}, {"precision", settings.at("precision")},
                      {"geometry", settings.at("geometry").value(scene.at("bodies").at(0).at("shape").get<std::string>(), "")}};
        for (size_t k = 0; k < text.size(); k += 150) {
            notes["options" + (k ? std::to_string(k / 150) : "")] = text.substr(k, 150);
        }
        return {{"ok", true}, {"settings", notes}, {"bodies", readBodies(engine, bodies)}};
    }
    if (what == "step") {
        const double begun = getProcessorTime();
        engine.step(call.at("count"));
        const double seconds = getProcessorTime() - begun;
        Json result = {{"ok", true}, {"flags", 0}, {"processor_s", seconds}, {"bodies", readBodies(engine, bodies)}};
        if (call.value("forces", false)) {
            result["contact_forces_N"] = Json::array();
            for (int k = 0; k < bodies; k++) {
                const auto force = engine.contactForce(k);
                result["contact_forces_N"].push_back(force ? Json(*force) : Json());
            }
        }
        return result;
    }
    if (what == "destroy") {
        return {{"ok", true}};
    }
    throw std::runtime_error("unknown call " + what);
}

inline int serve(const char* path, Engine& engine)
{
    std::ifstream file(path);
    if (!file) {
        std::cerr << path << ": cannot be read\n";
        return 1;
    }
    const Json settings = Json::parse(file);
    int bodies = 0;
    for (std::string line; std::getline(std::cin, line);) {
        Json result;
        try {
            result = answer(engine, settings, bodies, Json::parse(line));
        } catch (const std::exception& error) {
            result = {{"ok", false}, {"error", error.what()}};
        }
        std::cout << result.dump() << std::endl;
    }
    return 0;
}

} // namespace pipe
