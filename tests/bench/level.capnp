# The level of level.schema.yaml as a schema of Cap'n Proto.
@0xfa52b017cd9f8f88;
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("packed");
struct Vec3 { x @0 :Float32; y @1 :Float32; z @2 :Float32; }
struct Quat { x @0 :Float32; y @1 :Float32; z @2 :Float32; w @3 :Float32; }
struct Loot { item @0 :Text; count @1 :UInt32; }
struct Spawn {
  name @0 :Text;
  pos @1 :Vec3;
  rot @2 :Quat;
  hp @3 :UInt32;
  tags @4 :List(Text);
  kind @5 :Text;
  loot @6 :List(Loot);
}
struct Level { spawns @0 :List(Spawn); }
