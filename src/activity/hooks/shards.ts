/** The name of the task that makes deliveries of facts; it never changes. */
export const PREPARE = 'hooks/prepare'

/** Facts of one tree of groups are worked off one after the other; those of others may go beside them. */
export const SHARDS = 4

/** The queue of a shard. */
export const queueOf = (shard: number): string => `webhooks ${shard}`
