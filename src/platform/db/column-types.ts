import { type CustomTypesConfig, types as pgTypes } from 'pg'

const INT8_ARRAY = 1016
const asText = (value: string): string => value
const asIds = (value: string): number[] => (value === '{}' ? [] : value.slice(1, -1).split(',').map(Number))

/** Dates and times stay text (platform/http/time.ts formats them). Bigints are ids, far below 2^53. */
const parsers = new Map<number, (value: string) => unknown>([
  [pgTypes.builtins.INT8, Number],
  [INT8_ARRAY, asIds],
  [pgTypes.builtins.DATE, asText],
  [pgTypes.builtins.TIMESTAMP, asText],
  [pgTypes.builtins.TIMESTAMPTZ, asText],
])

/** How the columns of all statements are read. */
export const columnTypes: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || pgTypes.getTypeParser(oid, format ?? 'text'),
}
