import { defaultTransport, type Pace, type ReadingPace } from '#platform/http/transport.ts'

/** Milliseconds that a client may do nothing in all, while something is expected of it. */
export const SILENCE = 600_000

/** How slow the clients of SSH may be: as slow as those of HTTP. */
export interface SshPace {
  readonly reading: ReadingPace
  readonly sending: Pace
}

export const usualPace: SshPace = {
  // Git sends a sign of life every 5 seconds while it works, so each look sees one.
  reading: { ...defaultTransport.reading, look: 15_000 },
  // Over SSH a push begins before the client has made its pack, and before its own checks have run.
  sending: { ...defaultTransport.streamed, idle: SILENCE, wait: SILENCE },
}
