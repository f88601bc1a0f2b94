-- Erase a game, and leave word that it was erased.
-- KEYS: game, log, deals, gone, due, changed, jobs.  ARGV: 1 game id, 2 tombstone (a JSON object), 3 its retention in ms.
-- Answers 1, or 0 where there is no game.
local due = redis.call('HGET', KEYS[1], 'due')
if not due then
    return 0
end
if due ~= '' then
    redis.call('ZREM', KEYS[5], due)
end
-- Each job is there by its key and by what is due of it; both carry the tag of the game's shard.
for _, name in ipairs(redis.call('SMEMBERS', KEYS[7])) do
    redis.call('DEL', name)
    redis.call('ZREM', KEYS[5], name)
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[7])
redis.call('SET', KEYS[4], ARGV[2], 'PX', ARGV[3])
redis.call('PUBLISH', KEYS[6], ARGV[1] .. ' -1')
return 1
