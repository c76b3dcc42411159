/* A Lua chunk, compiled and run with a bound on its steps and without libraries that touch the system. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdint.h>

static void enough(lua_State *lua, lua_Debug *where) {
  (void)where;
  luaL_error(lua, "enough");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lua_State *lua = luaL_newstate();
  if (!lua) return 0;
  luaL_requiref(lua, "_G", luaopen_base, 1);
  luaL_requiref(lua, "string", luaopen_string, 1);
  luaL_requiref(lua, "table", luaopen_table, 1);
  lua_settop(lua, 0);
  lua_sethook(lua, enough, LUA_MASKCOUNT, 1000);
  if (luaL_loadbufferx(lua, (const char *)data, size, "input", "t") == LUA_OK) lua_pcall(lua, 0, 0, 0);
  lua_close(lua);
  return 0;
}
