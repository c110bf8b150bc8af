// Runs in browsers: says times in the zone of who reads them.

const two = (number: number): string => String(number).padStart(2, '0')

for (const shown of document.querySelectorAll<HTMLTimeElement>('time')) {
  const at = new Date(shown.dateTime)
  // Days have no zone. In UTC, the page is right as it is.
  if (!shown.dateTime.includes('T') || Number.isNaN(at.getTime()) || at.getTimezoneOffset() === 0) continue
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  shown.title = `${at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })} (${shown.textContent ?? ''})`
  shown.textContent = `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}
