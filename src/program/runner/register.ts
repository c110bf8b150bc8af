import { type CommandOptions, Refused, type Terminal, UsageError } from '../cli/command.ts'
import { newSystemId, usualFolder, writeConfig } from './config.ts'
import { RefusedByServer, RunnerApi } from './runner-api.ts'
import { assertUnprivileged, serverUrl } from './runner.ts'

/**
 * Keeps the token of a runner that somebody has made by `POST /user/runners`, after the server has said that it is one.
 * @throws Refused as root, where the server does not answer, or for a token that is no runner's
 */
export async function registerRunnerCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  assertUnprivileged()
  const url = serverUrl(given.text('url'))
  const token = given.maybe('token') ?? terminal.environment['FORGELET_RUNNER_TOKEN']
  if (token === undefined || token === '')
    throw new UsageError('--token is missing; FORGELET_RUNNER_TOKEN can hold it, too')
  const concurrent = Number(given.maybe('concurrent') ?? '1')
  if (!Number.isInteger(concurrent) || concurrent < 1 || concurrent > 100)
    throw new UsageError('--concurrent is a number from 1 to 100')
  const folder = given.maybe('folder') ?? usualFolder()
  const config = { url, token, system_id: newSystemId(), concurrent }
  const id = await verified(config)
  await writeConfig(folder, config)
  terminal.out(`Runner ${id} is registered in ${folder}. Start it by: forgelet runner\n`)
  return 0
}

async function verified(config: ConstructorParameters<typeof RunnerApi>[0]): Promise<number> {
  try {
    return await new RunnerApi(config).verify()
  } catch (error) {
    if (error instanceof RefusedByServer && (error.status === 403 || error.status === 401))
      throw new Refused('the server knows no runner with this token')
    throw new Refused(`the server at ${config.url} does not answer as it should: ${String(error)}`)
  }
}
