/** Whether there is time for many random cases and for all pairs: `npm run test:long`. */
export const isLong = process.env['FORGELET_LONG_TESTS'] === '1'
