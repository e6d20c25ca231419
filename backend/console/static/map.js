// The plan on a map without tiles: places of the pool as grey points, a colour a day.
const box = document.getElementById("map");
const style = getComputedStyle(document.documentElement);
const colour = (name) => style.getPropertyValue(name).trim();
const dayColour = (day) => colour(`--day-${((day - 1) % 8) + 1}`);
const text = (words) => document.createTextNode(words);
const map = L.map(box, { attributionControl: false, zoomSnap: 0.25, scrollWheelZoom: false });
const layers = new Map();
let bounds = L.latLngBounds([]);

function addTo(day, layer) {
  if (!layers.has(day)) layers.set(day, L.layerGroup().addTo(map));
  layers.get(day).addLayer(layer);
}

function point(feature, latlng) {
  const { kind, day, order, title } = feature.properties;
  const isStop = kind === "visit" || kind === "fixed" || kind === "meal";
  const marker = L.circleMarker(latlng, {
    radius: isStop ? 8 : 6,
    color: colour("--surface"),
    weight: 2,
    fillColor: isStop ? dayColour(day) : colour("--ink"),
    fillOpacity: 1,
  });
  marker.bindTooltip(text(title), { direction: "top" });
  return { day, order, marker };
}

function drawPlan(plan) {
  for (const feature of plan.features) {
    const { day, kind, title } = feature.properties;
    const isLine = feature.geometry.type !== "Point";
    if (isLine) {
      const line = L.geoJSON(feature, {
        style: { color: dayColour(day), weight: kind === "leg" ? 1.5 : 3, dashArray: kind === "leg" ? "6 6" : null, opacity: 0.85 },
      });
      line.bindTooltip(text(title), { sticky: true });
      addTo(day, line);
    } else {
      const [lon, lat] = feature.geometry.coordinates;
      const { marker } = point(feature, [lat, lon]);
      addTo(day, marker);
      if (kind !== "station") bounds.extend([lat, lon]);
    }
  }
}

function drawGround(ground) {
  const under = L.layerGroup().addTo(map);
  for (const [lat, lon, name] of ground.places) {
    L.circleMarker([lat, lon], { radius: 3, weight: 0, fillColor: colour("--soft"), fillOpacity: 0.55 })
      .bindTooltip(text(name))
      .addTo(under);
  }
  for (const [lat, lon, area] of ground.areas) {
    const label = document.createElement("span");
    label.textContent = area;
    L.marker([lat, lon], {
      interactive: false,
      keyboard: false,
      icon: L.divIcon({ className: "area", html: label, iconSize: [0, 0] }),
    }).addTo(under);
  }
}

function choose(day) {
  for (const [number, layer] of layers) {
    if (!day || number === day) layer.addTo(map);
    else layer.remove();
  }
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

map.setView([35, 105], 4);
const [ground, plan] = await Promise.all([read(box.dataset.ground), read(box.dataset.plan)]);
drawGround(ground);
drawPlan(plan);
if (bounds.isValid()) map.fitBounds(bounds, { padding: [28, 28], maxZoom: 14 });
box.dataset.ready = "yes";

const days = document.querySelector("[data-days]");
days.hidden = false;
days.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  for (const other of days.querySelectorAll("button")) {
    other.classList.toggle("on", other === button);
    other.setAttribute("aria-pressed", String(other === button));
  }
  choose(Number(button.dataset.day));
});
