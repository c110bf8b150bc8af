/** Milliseconds for which tests wait for what is promised at no certain time, on a machine that is busy with others. */
export const PATIENCE = 40_000
