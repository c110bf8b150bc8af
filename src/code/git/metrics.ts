import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Git } from './processes/git.ts'

/** Adds metrics of git processes: how many run and wait, and how long they take. */
export function registerGitMetrics(registry: Registry, git: Git): void {
  const registers = [registry]
  const processes = new Gauge({
    name: 'forgelet_git_processes',
    help: 'Git processes that run, and requests that wait for one, by what they are for',
    labelNames: ['lane', 'state'],
    registers,
    collect: () => {
      for (const { lane, running, waiting } of git.usage()) {
        processes.set({ lane, state: 'running' }, running)
        processes.set({ lane, state: 'waiting' }, waiting)
      }
      processes.set({ lane: 'objects', state: 'running' }, git.readers.open)
    },
  })
  const duration = new Histogram({
    name: 'forgelet_git_process_duration_seconds',
    help: 'Time that git processes took, by command and by what they are for',
    labelNames: ['command', 'lane'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
    registers,
  })
  const answers: Gauge = new Gauge({
    name: 'forgelet_git_answers_bytes',
    help: 'About how much memory kept answers of git occupy',
    registers,
    collect: () => answers.set(git.kept.usage.bytes),
  })
  const asked = new Counter({
    name: 'forgelet_git_answers_total',
    help: 'Questions about commits, trees and files by their ids, by whether the answer was kept',
    labelNames: ['kept'],
    registers,
    collect: () => {
      asked.reset()
      asked.inc({ kept: 'yes' }, git.kept.usage.hits)
      asked.inc({ kept: 'no' }, git.kept.usage.misses)
    },
  })
  git.onProcess = (command, lane, milliseconds) => duration.observe({ command, lane }, milliseconds / 1000)
}
