import type { Log } from '#platform/context.ts'
import type { Telemetry } from './telemetry.ts'
import type { TelemetryOptions } from './variables.ts'

/** Opens what was asked for. Its libraries are loaded only here. */
export async function openTelemetry(options: TelemetryOptions, log: Log): Promise<Telemetry> {
  for (const problem of options.problems) log.warn({}, problem)
  const { OpenTelemetry } = await import('./open-telemetry.ts')
  return OpenTelemetry.open(options, log)
}
