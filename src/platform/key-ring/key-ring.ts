import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Db } from '#platform/db/pool.ts'
import { openSealed, type Secrets, sealWith, WrongMasterKey } from '#platform/db/secrets.ts'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'

/**
 * Keys for secrets that people gave and that this program must read back, such as passwords for other servers. The keys
 * are themselves secrets of the instance, sealed with the master key. A sealed value begins with the number of its key,
 * so a new key can take over while servers run: `forgelet secrets rotate`.
 */
export interface KeyRing {
  /** Encrypts with the newest key. Call it before the transaction that stores the value. */
  seal(name: string, plain: string): Promise<Buffer>
  /** @throws {WrongMasterKey} when it was sealed under another name or key, or was altered. */
  open(name: string, sealed: Buffer): Promise<string>
}

/** A column with values of the key ring. */
export interface SealedColumn {
  readonly table: string
  /** Values are sealed under this name. */
  readonly name: string
  readonly column: string
}

export const sealedColumns = new ExtensionPoint<SealedColumn>('the list of sealed columns')

const PREFIX = 'key of the ring '
/** The number of the key in front of a sealed value. */
const NUMBER = 4
const KEY = 32
const ROWS_PER_TRANSACTION = 200

const keyName = (number: number) => `${PREFIX}${number}`

type Source = Pick<TransactionSource, 'db'> & { readonly secrets: Secrets }

/** The keys of an instance. */
export function keyRing({ db, secrets }: Source): KeyRing {
  const keyOf = (number: number) =>
    secrets.namedSecret(keyName(number), () => {
      throw new WrongMasterKey(`The key ${number} of this database is gone`)
    })
  return {
    async seal(name, plain) {
      const number = (await newest(db)) ?? (await addKey(db, secrets, 1))
      const sealed = sealWith(await keyOf(number), name, plain)
      const head = Buffer.alloc(NUMBER)
      head.writeUInt32BE(number)
      return Buffer.concat([head, sealed])
    },
    async open(name, sealed) {
      const key = await keyOf(sealed.readUInt32BE(0))
      return openSealed(key, name, sealed.subarray(NUMBER)).toString('utf8')
    },
  }
}

async function newest(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    select substr(name, ${PREFIX.length + 1})::integer as number from secrets
    where starts_with(name, ${PREFIX}) order by 1 desc limit 1`.execute(db)
  return rows[0]?.number
}

/** Another process may add the same one; then its key counts. */
async function addKey(db: Db, secrets: Secrets, number: number): Promise<number> {
  await secrets.namedSecret(keyName(number), () => randomBytes(KEY))
  return number
}

/**
 * Makes a new key, and seals every value with it. Servers go on meanwhile. The key before stays until the next rotation,
 * for what a server was sealing at this moment; older ones are deleted.
 * @returns how many values were sealed again.
 */
export async function rotateKeys(source: TransactionSource & { readonly secrets: Secrets }): Promise<number> {
  const { db, secrets } = source
  const before = await newest(db)
  const ring = keyRing(source)
  const number = await addKey(db, secrets, (before ?? 0) + 1)
  let rotated = 0
  for (const column of sealedColumns.entries) rotated += await sealAgain(source, ring, column, number)
  await sql`
    delete from secrets where starts_with(name, ${PREFIX})
      and substr(name, ${PREFIX.length + 1})::integer < ${before ?? 0}`.execute(db)
  return rotated
}

interface Sealed {
  readonly id: number
  readonly sealed: Buffer
}

async function sealAgain(
  source: TransactionSource,
  ring: KeyRing,
  { table, column, name }: SealedColumn,
  number: number,
): Promise<number> {
  const field = sql.ref(column)
  let rotated = 0
  for (let after = 0; ;) {
    const { rows } = await sql<Sealed>`
      select id, ${field} as sealed from ${sql.table(table)}
      where id > ${after} and ${field} is not null order by id limit ${ROWS_PER_TRANSACTION}`.execute(
      source.db,
    )
    const last = rows.at(-1)
    if (last === undefined) return rotated
    after = last.id
    for (const row of rows.filter(({ sealed }) => sealed.readUInt32BE(0) !== number)) {
      const again = await ring.seal(name, await ring.open(name, row.sealed))
      // Somebody may have given another value meanwhile.
      rotated += await transact(source, { author: null, ip: null }, async (tx) => {
        const { numAffectedRows = 0n } = await sql`
          update ${sql.table(table)} set ${field} = ${again}
          where id = ${row.id} and ${field} = ${row.sealed}`.execute(tx.db)
        return Number(numAffectedRows)
      })
    }
  }
}
