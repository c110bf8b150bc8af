import type { RunningServer } from '#server-options.ts'
import { afterEachFile } from './checks.ts'

const running = new Set<RunningServer>()

/** Remembers a server that is to stop before its file ends. */
export function watchNode(server: RunningServer): RunningServer {
  const { url, app, services } = server
  const watched: RunningServer = {
    url,
    app,
    services,
    stop() {
      running.delete(watched)
      return server.stop()
    },
  }
  running.add(watched)
  return watched
}

/** Stops those that still run: they would do the jobs of later files. */
afterEachFile(async () => {
  const left = [...running]
  await Promise.all(left.map((node) => node.stop()))
  return left.length === 0 ? [] : [`${left.length} servers of World.another() were still running`]
})
