import { readConfig } from '#platform/config/config.ts'
import { upgradeCluster } from '#program/upgrade/upgrade-cluster.ts'
import { type CommandOptions, Refused, type Terminal } from './command.ts'
import { assertClusterIn } from './instance.ts'
import { logOn } from './log-on.ts'
import { progressOn } from './progress.ts'
import { stopSignals } from './signals.ts'

/** Brings the embedded database of an earlier PostgreSQL into the one that this version ships. */
export async function upgradeDatabaseCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const config = readConfig(terminal.environment)
  if (config.databaseUrl !== undefined)
    throw new Refused(
      'FORGELET_DATABASE_URL names a database of yours: upgrade that server as its own manual says',
    )
  await assertClusterIn(config, terminal)
  const signal = stopSignals()
  const upgraded = await upgradeCluster({
    config,
    log: logOn('err', terminal, config, 'error'),
    programs: given.maybe('programs'),
    signal,
    onProgress: progressOn(terminal, 'copied'),
    onStep: (step) => terminal.err(`${step}\n`),
  }).catch((error: unknown) => {
    throw signal.aborted ? new Refused('stopped: the old database is as it was, run this again') : error
  })
  if (upgraded === undefined) terminal.out('nothing to do\n')
  else
    terminal.out(
      `PostgreSQL ${upgraded.from} is ${upgraded.to} now. The old database is kept in ${upgraded.kept}: ` +
        'remove that folder when everything is as it should be\n',
    )
  return 0
}
