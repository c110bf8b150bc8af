import { sql } from 'kysely'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { makeRoom } from '../runners/note-contact.ts'
import type { AskingManager, AskingRunner } from './asking-runner.ts'
import type { RunnerInfo } from './parameters.ts'
import type { RunningJob } from './running-job.ts'

/** Milliseconds after which it is written again that a runner was heard of. */
const NOTE_AFTER = 60_000

/** What a runner announces that it can do. */
export const featuresIn = ({ features = {} }: RunnerInfo): string[] =>
  Object.entries(features)
    .flatMap(([name, value]) => (value === 'true' && /^\w{1,100}$/.test(name) ? [name] : []))
    .toSorted()

/**
 * Notes that a runner asked, and what its manager says of itself. A new manager takes the place of one of too many.
 * @returns the runner with its manager; it has none without a name, and once the runner is gone
 */
export async function noteRequest(
  source: TransactionSource,
  runner: AskingRunner,
  systemId: string | undefined,
  info: RunnerInfo,
): Promise<AskingRunner> {
  const now = source.clock.now()
  const said = saidBy(info)
  const isNoted =
    isRecent(runner.contacted_at, now) &&
    (systemId === undefined ||
      (runner.manager !== null && isRecent(runner.manager.contacted_at, now) && isSame(runner.manager, said)))
  if (isNoted) return runner
  return transact(source, { author: null, ip: null }, async (tx) => {
    await sql`
      update ci_runners set contacted_at = ${tx.now}
        where id = ${runner.id} and (contacted_at is null or contacted_at < ${tx.now}::timestamptz)`.execute(
      tx.db,
    )
    if (systemId === undefined) return { ...runner, manager: null }
    const { rows } = await sql<{ id: number; created_at: string }>`
      insert into ci_runner_managers (runner_id, system_id, version, revision, platform, architecture, executor, features, contacted_at,
          created_at)
        select r.id, ${systemId}, ${said.version}, ${said.revision}, ${said.platform}, ${said.architecture}, ${said.executor},
            ${[...said.features]}::text[], ${tx.now}, ${tx.now}
          from ci_runners r where r.id = ${runner.id} for no key update
        on conflict (runner_id, system_id) do update set version = excluded.version, revision = excluded.revision,
          platform = excluded.platform, architecture = excluded.architecture, executor = excluded.executor,
          features = excluded.features, contacted_at = excluded.contacted_at
        returning id, created_at`.execute(tx.db)
    const [manager] = rows
    if (manager !== undefined && Date.parse(manager.created_at) === Date.parse(tx.now))
      await makeRoom(tx, runner.id)
    return {
      ...runner,
      manager: manager === undefined ? null : { ...said, id: manager.id, contacted_at: tx.now },
    }
  })
}

/** Notes that a runner said something of its job: it is there, however long the job takes it. */
export async function noteWork(
  source: TransactionSource,
  { runner_id, runner_manager_id, noted_at }: RunningJob,
): Promise<void> {
  if (isRecent(noted_at, source.clock.now())) return
  await transact(source, { author: null, ip: null }, async (tx) => {
    await tx.db.updateTable('ci_runners').set({ contacted_at: tx.now }).where('id', '=', runner_id).execute()
    if (runner_manager_id === null) return
    await tx.db
      .updateTable('ci_runner_managers')
      .set({ contacted_at: tx.now })
      .where('id', '=', runner_manager_id)
      .execute()
  })
}

type Said = Omit<AskingManager, 'id' | 'contacted_at'>

const saidBy = (info: RunnerInfo): Said => {
  const { version, revision, platform, architecture, executor } = info
  const short = (text: string | undefined) => text?.slice(0, 255) ?? null
  return {
    version: version ?? null,
    revision: short(revision),
    platform: short(platform),
    architecture: short(architecture),
    executor: short(executor),
    features: featuresIn(info),
  }
}

const isRecent = (moment: string | null, now: Date): boolean =>
  moment !== null && now.getTime() - Date.parse(moment) < NOTE_AFTER

const isSame = (known: Said, said: Said): boolean =>
  known.version === said.version &&
  known.revision === said.revision &&
  known.platform === said.platform &&
  known.architecture === said.architecture &&
  known.executor === said.executor &&
  known.features.join(' ') === said.features.join(' ')
