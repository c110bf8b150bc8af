import {
  customEvents,
  type CustomEvent,
  isChosen,
  type NotificationLevel,
  sentWhen,
} from '#activity/notification-settings/events.ts'
import type { Action } from '../frame/action.ts'
import type { Field } from '../frame/fields.ts'

const meanings: Readonly<Record<Exclude<NotificationLevel, 'global'>, string>> = {
  watch: 'Watch: of everything',
  participating: 'Participate: of what you take part in',
  mention: 'On mention: only where somebody mentions you',
  custom: 'Custom: of what you take part in, and of the events that you choose',
  disabled: 'Disabled: of nothing',
}

const PLAN = ' (Premium and Ultimate; ignored without the plan)'

/** @param inherited what stands for the settings above; undefined where there are none */
export const levelField = (value: NotificationLevel, inherited?: string): Field => ({
  name: 'level',
  label: 'You are told',
  is: 'choice',
  value,
  options: [
    ...(inherited === undefined ? [] : [{ value: 'global', label: inherited }]),
    ...Object.entries(meanings).map(([level, label]) => ({ value: level, label })),
  ],
})

/** What {@link withEvents} reads. */
const EVENTS = 'events'

/** The events that the level `custom` has, as the API told them: null is what is usual. */
export const eventsField = (events: Readonly<Partial<Record<string, boolean | null>>>): Field => ({
  name: EVENTS,
  label: 'Events',
  is: 'choices',
  value: Object.entries(events).flatMap(([name, is]) => ((is ?? usual.has(name)) ? [name] : [])),
  options: customEvents
    .filter((name) => Object.hasOwn(events, name))
    .map((value) => ({ value, label: labelOf(value) })),
})

const usual: ReadonlySet<string> = new Set(customEvents.filter((name) => isChosen({}, name)))

function labelOf(event: CustomEvent): string {
  const text = sentWhen[event].replace(PLAN, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The same action with each event of a list as a parameter of its own. Without the list, events stay as they are. */
export const withEvents =
  (action: Action): Action =>
  (api, { [EVENTS]: chosen, ...parameters }, seen) => {
    const events = Array.isArray(chosen)
      ? Object.fromEntries(customEvents.map((name) => [name, chosen.includes(name)]))
      : {}
    return action(api, { ...parameters, ...events }, seen)
  }
