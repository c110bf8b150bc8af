import { spawn, type ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { within } from './server.ts'
import { cleanEnvironment } from './settings.ts'
import type { Log } from './types.ts'

/**
 * Ends the server when this process dies without warning. The watchdog notices that its input ends, which only the
 * kernel can cause. $1 cluster, $2 socket folder, $3 first signal; the rest are paths to remove when no server is
 * left.
 */
const SCRIPT = `
trap '' HUP INT TERM
pid=
while IFS=' ' read -r word value; do
  case $word in
    pid) pid=$value ;;
    quit) exit 0 ;;
  esac
done
cluster=$1 sockets=$2 first=$3
shift 3
exec 2>/dev/null
ours() {
  [ "$(readlink "/proc/$1/cwd")" = "$cluster" ] && return
  [ -d /proc/self ] && return 1
  case $(ps -p "$1" -o command=) in *"-D $cluster "*) ;; *) return 1 ;; esac
}
alive() { kill -0 "$pid" && ! grep -q '^State:[[:space:]]*Z' "/proc/$pid/status"; }
end() {
  kill -"$1" "$pid"
  left=$2
  while alive; do
    [ "$left" -gt 0 ] || return 1
    left=$((left - 1))
    sleep 0.05 || sleep 1
  done
}
if [ -z "$pid" ]; then
  { read -r pid < "$cluster/postmaster.pid"; } && ours "$pid" || pid=
fi
if [ -n "$pid" ] && alive; then
  end "$first" 100 || end QUIT 100 || end KILL 100
fi
rm -f "$sockets"/.s.PGSQL.*
rmdir "$sockets"
tries=0
while [ $# -gt 0 ] && [ "$tries" -lt 40 ]; do
  rm -rf -- "$@" && break
  tries=$((tries + 1))
  sleep 0.05 || sleep 1
done
`

export interface Watchdog {
  /** The process to end if this process dies; undefined when there is none. */
  watch(pid: number | undefined): void
  pid(): number | undefined
  quit(): Promise<void>
}

interface Watched {
  cluster: string
  socketFolder: string
  ephemeral: boolean
  remove: string[]
  log: Log
  /** Called for each process to watch. */
  onProcess: () => void
}

/** Starts the watchdog, and restarts it when it is killed. */
export function startWatchdog(watched: Watched): Watchdog {
  let watching: number | undefined
  let quitting = false
  let child = launch()

  function launch(): ChildProcess {
    const first = watched.ephemeral ? 'QUIT' : 'INT'
    const args = [watched.cluster, watched.socketFolder, first, ...watched.remove]
    const started = spawn('/bin/sh', ['-c', SCRIPT, 'forgelet-watchdog', ...args], {
      cwd: '/',
      env: cleanEnvironment({}),
      detached: true, // a session of its own: signals to our terminal or group do not reach it
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const startedAt = Date.now()
    started.stdin?.on('error', () => {}) // it has ended; 'exit' says so
    started.once('error', (err) =>
      watched.log.error({ err }, 'the watchdog of the embedded PostgreSQL did not start'),
    )
    started.once('exit', () => {
      if (!quitting) void replace(Date.now() - startedAt)
    })
    started.unref()
    if (started.stdin instanceof Socket) started.stdin.unref()
    return started
  }

  async function replace(lived: number): Promise<void> {
    if (lived < 1000) await delay(1000, undefined, { ref: false })
    if (quitting) return
    watched.log.warn({}, 'the watchdog of the embedded PostgreSQL was ended: starting another')
    child = launch()
    tell(`pid ${watching ?? ''}`)
  }

  function tell(line: string): void {
    if (child.stdin?.writable === true) child.stdin.write(`${line}\n`)
  }

  return {
    watch(pid) {
      watching = pid
      tell(`pid ${pid ?? ''}`)
      if (pid !== undefined) watched.onProcess()
    },
    pid: () => child.pid,
    async quit() {
      quitting = true
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.ref()
      tell('quit')
      if (!(await within(2000, gone))) child.kill('SIGKILL') // stopped by a signal
    },
  }
}
