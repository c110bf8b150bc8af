import { type RawBuilder, sql } from 'kysely'
import { type Param, prepare, type Prepared } from '#platform/db/prepare.ts'

/**
 * What a lock is for. One for deletion keeps others from starting to refer to the row; one for a change does not, because other
 * transactions may insert rows that refer to it.
 */
type Purpose = 'change' | 'deletion'

/**
 * Prepares the statement that locks the row of a noteable, which is the lock of everything that belongs to it: others who
 * change it wait until the transaction ends. Nobody waits for the answer here, so what is read next is read in the
 * same round trip, under the lock.
 * @param id an expression for its id.
 */
export const locking = <Values extends object>(
  purpose: Purpose,
  id: (param: Param<Values>) => RawBuilder<number>,
): Prepared<Values, object> =>
  prepare(
    (db, param: Param<Values>) => {
      const strength = sql.raw(purpose === 'deletion' ? 'for update' : 'for no key update')
      const query = sql<object>`select 1 from noteables where id = ${id(param)} ${strength}`
      return { compile: () => query.compile(db) }
    },
    { deferred: true },
  )
