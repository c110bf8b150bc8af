import { type Expression, sql } from 'kysely'
import { type Params, type Statement, statement } from '#platform/db/statement.ts'

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
  id: (param: Params<Values>) => Expression<number>,
): Statement<Values, unknown> =>
  statement({
    name: `lock noteable for ${purpose}`,
    build: (_, param: Params<Values>) => {
      const strength = sql.raw(purpose === 'deletion' ? 'for update' : 'for no key update')
      return sql`select 1 from noteables where id = ${id(param)} ${strength}`
    },
    deferred: true,
  })
