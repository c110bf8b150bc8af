import { ClientPattern, PatternRefused } from '#platform/client-pattern.ts'
import { invalid } from '#platform/refusals.ts'

/** Reads an expression that a client has sent. @throws 400 under its attribute for what is none, or is too large */
export function readExpression(attribute: string, expression: string): ClientPattern {
  try {
    return new ClientPattern(expression)
  } catch (error) {
    if (error instanceof PatternRefused) throw invalid({ [attribute]: [error.message] })
    throw error
  }
}

/** What matches names as a whole. */
export const whole = (expression: string): string => `^(?:${expression})$`
