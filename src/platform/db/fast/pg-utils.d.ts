/** The part of `pg` that writes values as PostgreSQL reads them. It has no types of its own. */
declare module 'pg/lib/utils.js' {
  export function prepareValue(value: unknown): string | Buffer | null
}
