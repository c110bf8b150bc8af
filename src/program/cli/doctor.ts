import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { assertGit } from '#code/git/version.ts'
import { type Config, ConfigError, readConfig } from '#platform/config/config.ts'
import { readTelemetry } from '#platform/telemetry/variables.ts'
import type { Terminal } from './command.ts'
import { examineDatabase } from './doctor-database.ts'
import { examineMail, examineRedis, examineS3 } from './doctor-services.ts'
import { type CheckFinding, note, ok, reason, wrong } from './finding.ts'

const signs = { ok: '✓', note: '!', wrong: '✗' } as const
const GIGABYTE = 1024 ** 3

/** Looks at everything that the server needs, and prints what it finds. Exit code 1: something is wrong. */
export async function doctorCommand(terminal: Terminal): Promise<number> {
  let wrongs = 0
  const print = ({ part, state, text }: CheckFinding) => {
    if (state === 'wrong') wrongs += 1
    terminal.out(`${signs[state]} ${part}: ${text}\n`)
  }
  let config: Config
  try {
    config = readConfig(terminal.environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    print(wrong('configuration', error.message))
    return 1
  }
  print(ok('configuration', 'every variable is known and has an accepted value'))
  print(ok('log', aboutLog(config)))
  for (const finding of examineTelemetry(terminal.environment)) print(finding)
  // One after the other, so that each is printed as soon as it is known.
  for (const examine of [
    examineNode,
    examineGit,
    examineUrl,
    examineData,
    examineStorages,
    examineDatabase,
    examineS3,
    examineRedis,
    examineMail,
  ]) {
    for (const finding of await examine(config)) print(finding)
  }
  terminal.out(wrongs === 0 ? 'nothing is wrong\n' : `${wrongs} to mend\n`)
  return wrongs === 0 ? 0 : 1
}

function aboutLog({ logFormat, logLevel }: Config): string {
  const formats = { json: 'JSON lines', text: 'lines for people' }
  const format =
    logFormat === undefined ? 'lines for people on a terminal, JSON lines elsewhere' : formats[logFormat]
  return `level ${logLevel}, as ${format}`
}

function examineTelemetry(environment: Terminal['environment']): CheckFinding[] {
  const part = 'telemetry'
  const options = readTelemetry(environment)
  if (options === undefined) return [ok(part, 'off: OTEL_EXPORTER_OTLP_ENDPOINT is not set')]
  const on = (['traces', 'metrics'] as const).filter((signal) => options[signal] !== undefined)
  return [
    ...options.problems.map((problem) => wrong(part, problem)),
    ...(on.length > 0 ? [ok(part, `${on.join(' and ')} are exported`)] : []),
  ]
}

async function examineNode(): Promise<CheckFinding[]> {
  return [ok('Node.js', process.versions.node)]
}

async function examineGit(): Promise<CheckFinding[]> {
  try {
    return [ok('git', await assertGit())]
  } catch (error) {
    return [wrong('git', reason(error))]
  }
}

async function examineUrl({ externalUrl, host }: Config): Promise<CheckFinding[]> {
  if (externalUrl === undefined) {
    const known = ['127.0.0.1', '::1', 'localhost'].includes(host)
    const text = `FORGELET_EXTERNAL_URL is not set, so links name the host of the request`
    return [known ? ok('address', text) : note('address', `${text}. Set it where others use this server`)]
  }
  if (externalUrl.startsWith('https:')) return [ok('address', externalUrl)]
  return [note('address', `${externalUrl}: passwords and tokens are sent in the clear. Put TLS in front`)]
}

async function examineData({ data, secretKey }: Config): Promise<CheckFinding[]> {
  const findings = [await folder('data folder', data)]
  if (findings[0]?.state === 'ok') findings.push(await space('disk', data))
  const key = join(data, 'secret.key')
  const file = await stat(key).catch(() => undefined)
  if (file !== undefined && (file.mode & 0o077) !== 0) {
    findings.push(wrong('secret key', `others may read ${key}: chmod 600 ${key}`))
  } else if (file !== undefined || secretKey !== undefined) {
    findings.push(ok('secret key', secretKey === undefined ? key : 'from FORGELET_SECRET_KEY'))
  }
  return findings
}

async function folder(part: string, path: string): Promise<CheckFinding> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok(part, path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return note(part, `${path} is not there yet: the first start makes it`)
    if (code === 'EROFS')
      return wrong(part, `${path} is on a disk that is mounted read-only: mount it read-write`)
    return wrong(part, `${path} cannot be used (${reason(error)}): give it to the account of the server`)
  }
}

async function space(part: string, path: string): Promise<CheckFinding> {
  const { bavail, bsize } = await statfs(path)
  const free = (bavail * bsize) / GIGABYTE
  const text = `${free.toFixed(1)} GiB are free at ${path}`
  return free < 1 ? wrong(part, `${text}: make room, writes will fail soon`) : ok(part, text)
}

async function examineStorages({ data, storages }: Config): Promise<CheckFinding[]> {
  const named = new Map([['default', join(data, 'repositories')], ...storages])
  return Promise.all([...named].map(([name, path]) => folder(`storage ${name}`, path)))
}
