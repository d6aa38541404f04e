/** Whether a day exists. `Date` reads `2026-02-30` as the 2nd of March. */
export function isOnCalendar(day: string): boolean {
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
