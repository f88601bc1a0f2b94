-- Read a game: its hash, and the log since its running deal was dealt.
-- KEYS: game, log, gone.  ARGV: 1 a cursor whose history the caller knows, or ''; then the log is left out.
-- Answers nil fields and the tombstone where there is no game.
local game = redis.call('HMGET', KEYS[1], 'header', 'standing', 'status', 'version', 'cursor', 'start', 'start_version',
    'turn_at', 'created_at', 'expires_at', 'due', 'due_at')
if not game[1] then
    return {game, {}, redis.call('GET', KEYS[3])}
end
local log = {}
if game[7] and game[5] ~= ARGV[1] then
    log = redis.call('LRANGE', KEYS[2], tonumber(game[7]), -1)
end
return {game, log, false}
