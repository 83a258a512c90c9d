/** With more data centres than this, relays report to the relay of their region, until there are fewer again. */
const REGIONS_FROM = 100
const REGIONS_UNTIL = 60

/** Do so many data centres report that each region reports as one? */
export class RegionSwitch {
  #isOn = false

  /** `relays`: data centres that report, directly or over their region. */
  isOn(relays: number): boolean {
    this.#isOn = relays > (this.#isOn ? REGIONS_UNTIL : REGIONS_FROM)
    return this.#isOn
  }
}
