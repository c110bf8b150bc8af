import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { shortFolder } from '#platform/processes/short-folder.ts'
import { rm } from 'node:fs/promises'
import { defaultLimits, type DoorLimits, type DoorSettings, isDoorReport } from './door/settings.ts'
import { hostKeys } from './host-keys.ts'
import { listenForDoors } from './listen.ts'
import { type SshPace, usualPace } from './pace.ts'

type Services = FastifyInstance['services']

/** The path of a socket may have 104 to 108 bytes. */
const LONGEST = 103

/** SSH as it runs. */
export interface RunningSsh {
  /** The port of the server's own door; undefined without one. */
  readonly port: number | undefined
  /** Of the process of that door. */
  readonly pid: number | undefined
  close(): Promise<void>
}

/** Starts what the configuration names: the socket for OpenSSH on this machine, and a door of its own. */
export async function startSsh(
  services: Services,
  limits: Partial<DoorLimits> = {},
  pace: SshPace = usualPace,
): Promise<RunningSsh> {
  await using cleanup = new AsyncDisposableStack()
  const { config } = services
  let own: { readonly port: number; readonly pid: number | undefined } | undefined
  const stated = config.sshSocket ?? join(config.data, 'ssh', 'socket')
  if (config.sshSocket !== undefined || config.sshUrl !== undefined) {
    if (Buffer.byteLength(stated) > LONGEST)
      throw new Error(
        `FORGELET_SSH_SOCKET: ${stated} is too long for the path of a socket. Name another one.`,
      )
    cleanup.defer(await listenForDoors(services, stated, pace))
  }
  if (config.sshAddress !== undefined) {
    const folder = await shortFolder()
    cleanup.defer(() => rm(folder, { recursive: true, force: true }))
    const socket = join(folder, 'ssh')
    cleanup.defer(await listenForDoors(services, socket, pace))
    const door = await openDoor(services, {
      ...config.sshAddress,
      socket,
      account: 'git',
      hostKeys: await hostKeys(services.secrets),
      limits: { ...defaultLimits, ...limits },
      reading: pace.reading,
    })
    cleanup.defer(() => door.close())
    own = door
  }
  const all = cleanup.move()
  return { port: own?.port, pid: own?.pid, close: () => all.disposeAsync() }
}

/** Milliseconds in which the door must listen. */
const PATIENCE = 20_000

async function openDoor(
  { log }: Services,
  settings: DoorSettings,
): Promise<{ readonly port: number; readonly pid: number | undefined; close(): Promise<void> }> {
  let isClosing = false
  let door = await launchDoor(settings)
  const { port } = door
  const watch = (): void => {
    door.child.once('exit', () => {
      if (!isClosing) setTimeout(() => void again(), PAUSE).unref()
    })
  }
  const again = async (): Promise<void> => {
    try {
      if (isClosing) return
      door = await launchDoor({ ...settings, port })
      log.warn({ pid: door.child.pid }, 'the process for SSH had ended, and another one has started')
      if (isClosing) door.child.kill('SIGKILL')
      else watch()
    } catch (error) {
      log.warn({ err: error }, 'SSH is away')
      setTimeout(() => void again(), PAUSE).unref()
    }
  }
  watch()
  return {
    port,
    pid: door.child.pid,
    close: async () => {
      isClosing = true
      const { child } = door
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Milliseconds before a process that has ended is replaced. */
const PAUSE = 1_000

async function launchDoor(
  settings: DoorSettings,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = launch()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, PATIENCE)
  try {
    child.send(settings)
    const [report, signal] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (isDoorReport(report)) {
      if ('listening' in report) return { child, port: report.listening }
      throw new Error(`SSH cannot listen: ${report.failed}`)
    }
    const how = isLate ? `said nothing in ${PATIENCE / 1000} s` : `ended (${String(signal ?? report)})`
    throw new Error(`SSH cannot listen: its process ${how}`)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function launch(): ChildProcess {
  const script = join(import.meta.dirname, doorScript)
  return fork(script, [], {
    cwd: '/',
    env: {},
    execArgv: [],
    // A session of its own: what a terminal sends to this program does not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

/** Beside this file in the bundle, in a folder of its own among the sources. */
const doorScript =
  extname(import.meta.filename) === '.ts' ? join('door', 'ssh-door-process.ts') : 'ssh-door-process.js'
