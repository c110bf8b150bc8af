import type { Shown } from '#test/visitor.ts'

/** What a page says to everybody: only where the visitor goes on after signing in differs. */
export const saidIn = ({ text }: Shown): string => text.replace(/return_to=[^"]*/, '')
