// @ts-check
// What `npm run dev` runs: the server from its sources, started again when one of them changes. npm runs this by a shell,
// which passes no signal on, so this ends what it started when it is told to, and when that shell ends.
import { spawn } from 'node:child_process'

/** Milliseconds between two looks at the parent. */
const LOOK = 200

const parent = process.ppid
const args = ['--watch-path=src', 'src/main.ts', ...process.argv.slice(2)]
const child = spawn(process.execPath, args, { stdio: 'inherit' })
const stop = () => void child.kill('SIGTERM')
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
const timer = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(timer)
  stop()
}, LOOK)
child.once('exit', (code) => process.exit(code ?? 0))
