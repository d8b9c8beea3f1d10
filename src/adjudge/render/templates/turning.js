// Turns the tetrahedra of a page with the mouse, a finger or the arrow keys. Where scripts are off, the picture stays as drawn.
(() => {
  "use strict";
  const step = 5, speed = 0.5;
  const most = 2000, idle = 250;  // marks drawn while it is turned; milliseconds until all are drawn again
  const numbers = text => text.split(" ").map(Number);

  // Turns the solids of a picture together: of one drawing, or of several in a group.
  function turned(picture) {
    const solids = [...picture.querySelectorAll("g.solid")].map(group => {
      const fine = Number(group.dataset.fine);
      const told = element => numbers(element.dataset.p).map(n => n / fine);
      const [azimuth, elevation, distance, x, y, scale, left, right] = numbers(group.dataset.view);
      const each = kind => [...group.querySelectorAll(kind)].map(e => ({ e, p: told(e), inside: [...e.children] }));
      return { azimuth, elevation, distance, x, y, scale, left, right, set: numbers(group.dataset.words),
        paths: each("path[data-p]"), marks: each("g.marks"), corners: each("g.corner") };
    });
    const first = solids[0];
    let azimuth = first.azimuth, elevation = first.elevation, waiting = false, held = null, rest = 0;

    function place(solid, p, i) {
      const turn = azimuth * Math.PI / 180, lift = elevation * Math.PI / 180;
      const [x, y, z] = [p[i], p[i + 1], p[i + 2]];
      const right = x * Math.cos(turn) - y * Math.sin(turn), behind = x * Math.sin(turn) + y * Math.cos(turn);
      const up = z * Math.cos(lift) + behind * Math.sin(lift), away = behind * Math.cos(lift) - z * Math.sin(lift);
      const nearer = solid.scale / (1 + away / solid.distance);
      return { x: solid.x + right * nearer, y: solid.y - up * nearer, away };
    }

    function lines(solid, { e, p }) {
      let d = "";
      for (let i = 0; i < p.length; i += 3) {
        const at = place(solid, p, i);
        d += (i % 6 ? "L" : "M") + at.x.toFixed(2) + " " + at.y.toFixed(2);
      }
      e.setAttribute("d", d);
    }

    function marks(solid, { e, p, inside }, all) {
      const each = all ? 1 : Math.ceil(inside.length / most), shown = [];
      for (let i = 0; i < inside.length; i += each) shown.push({ mark: inside[i], at: place(solid, p, 3 * i), i });
      for (const { mark, at } of shown) {
        if (mark.localName === "use") {
          mark.setAttribute("x", at.x.toFixed(1));
          mark.setAttribute("y", at.y.toFixed(1));
        } else mark.setAttribute("transform", `translate(${at.x.toFixed(2)} ${at.y.toFixed(2)})`);
      }
      shown.sort((a, b) => b.at.away - a.at.away || a.i - b.i);
      e.replaceChildren(...shown.map(one => one.mark));
    }

    function words(solid, { e, p, inside }) {
      const at = place(solid, p, 0), [above, below, line, outward] = solid.set;
      const wide = Number(e.dataset.wide), half = wide / 2, up = above - line * (inside.length - 2);
      const across = Math.min(Math.max(at.x + wide * outward * (at.x - solid.x), solid.left + half), solid.right - half);
      inside.forEach((text, i) => {
        text.setAttribute("x", across.toFixed(2));
        text.setAttribute("y", (at.y + (at.y > solid.y ? below : up) + i * line).toFixed(2));
      });
    }

    function draw(all) {
      for (const solid of solids) {
        solid.paths.forEach(each => lines(solid, each));
        solid.marks.forEach(each => marks(solid, each, all));
        solid.corners.forEach(each => words(solid, each));
      }
    }

    function turn(by, lift) {
      azimuth = (azimuth + by + 360) % 360;
      elevation = Math.max(-90, Math.min(90, elevation + lift));
      if (!waiting) requestAnimationFrame(() => { waiting = false; draw(false); });
      waiting = true;
      clearTimeout(rest);
      rest = setTimeout(() => draw(true), idle);
    }

    const keys = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const back = () => turn(first.azimuth - azimuth, first.elevation - elevation);
    picture.classList.add("turns");
    picture.setAttribute("tabindex", "0");
    picture.setAttribute("aria-keyshortcuts", `${Object.keys(keys).join(" ")} Home`);
    picture.addEventListener("keydown", event => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key in keys) turn(...keys[event.key]);
      else if (event.key === "Home") back();
      else return;
      event.preventDefault();
    });
    picture.addEventListener("pointerdown", event => {
      if (event.button) return;
      held = [event.clientX, event.clientY];
      picture.setPointerCapture(event.pointerId);
      picture.focus({ preventScroll: true });
    });
    picture.addEventListener("pointermove", event => {
      if (!held) return;
      turn((event.clientX - held[0]) * speed, (event.clientY - held[1]) * speed);
      held = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { held = null; });
    picture.addEventListener("dblclick", back);
  }

  const pictures = [...document.querySelectorAll("g.solid")].map(group => group.closest(".spaces") || group.ownerSVGElement);
  new Set(pictures).forEach(turned);
})();
