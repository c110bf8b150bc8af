/** The name of the task that makes deliveries of facts; it never changes. */
export const PREPARE = 'hooks/prepare'

/**
 * Facts of one tree of groups are worked off in their order; those of others may go beside them. Jobs have no queue: one that
 * is added while another one ends would wait for the next poll, and what a job takes away no other one tells.
 */
export const SHARDS = 4
