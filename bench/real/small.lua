-- Exercises most of the interpreter with output that depends on nothing but the program.
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
print("fib", fib(22))
local words = {}
for word in ("the quick brown fox jumps over the lazy dog again and again"):gmatch("%a+") do
  words[#words + 1] = word:upper():reverse()
end
table.sort(words, function(a, b) return #a == #b and a < b or #a < #b end)
print(table.concat(words, ","))
local point = setmetatable({}, { __index = function(_, k) return k .. "!" end, __call = function(self, x) return x * 2 end,
  __eq = function() return true end, __tostring = function() return "point" end, __len = function() return 7 end })
print(point.x, point(21), tostring(point), #point)
local generator = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i * i) end return "end" end)
for _ = 1, 6 do io.write(tostring(generator()), " ") end
print()
print(select(2, pcall(function() error({ code = 5 }) end)).code)
print(select(2, pcall(error, "plain", 0)), select("#", nil, nil), (select(2, pcall(string.rep))))
print(string.format("%5d|%-8s|%08.3f|%x|%q|%g", 42, "left", 3.14159, 255, "a\n\"b\"", 1e100))
print(7 // 2, -7 // 2, 7 % -3, 2 ^ 10, 7 / 2, 1 << 62, 5 & 6, 5 ~ 6, ~0, math.maxinteger + 1 == math.mininteger)
print(math.type(1), math.type(1.0), math.tointeger("8"), tostring(0 / 0 ~= 0 / 0), 1e15, 2 ^ 53)
print(("x = 1, y = 22"):gsub("(%w+) = (%d+)", "%2 -> %1"), ("hello"):find("l+"), ("%d"):rep(3, "-"))
local sieve, primes = {}, 0
for i = 2, 5000 do
  if not sieve[i] then
    primes = primes + 1
    for j = i * i, 5000, i do sieve[j] = true end
  end
end
print("primes", primes)
print(load("local a <const> = 3; goto l; do return 1 end ::l:: return a * 2")())
print(load("syntax error here"))
local weak = setmetatable({}, { __mode = "k" })
weak[{}] = 1
collectgarbage()
print(next(weak), utf8.char(8364, 65), utf8.len("naïve"), string.pack("<i4z", 7, "z"):byte(1, -1))
local sum = 0
for k, v in pairs({ 10, 20, 30, a = 1, b = 2 }) do sum = sum + v * (type(k) == "number" and k or 100) end
print(sum, table.unpack({ 1, 2, 3 }, 2), #table.pack(1, nil, 3), os.time({ year = 2000, month = 1, day = 1, hour = 12 }) > 0)
